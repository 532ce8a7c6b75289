/** The extent of a run. */
export interface Settings {
  /** Rounds of requests, in each of which all endpoints take their turn. */
  readonly rounds: number;
  /** Rounds before these, which don't count: the server compiles what runs often. */
  readonly warmUpRounds: number;
  /** Requests for a single ID per endpoint and round. */
  readonly requestsPerRound: number;
  /** Requests for a batch per endpoint and round, and batches of the streams together. */
  readonly batchesPerRound: number;
  readonly idsPerBatch: number;
  /** Requests that a closed loop keeps in flight: over HTTP each on a connection of its own, over gRPC on one. */
  readonly inFlight: number;
  /** Slices of the latency, and how long requests come at a fixed rate in each. */
  readonly latencySlices: number;
  readonly latencySliceMs: number;
  /** Renewals per way and round, one after the other. */
  readonly renewalsPerRound: number;
  /** Holders of a lease, each with a connection of its own. */
  readonly holders: number;
  /** How often a holder renews: the default of the library. */
  readonly renewEveryMs: number;
}

export const FULL: Settings = {
  rounds: 7,
  warmUpRounds: 3,
  requestsPerRound: 2000,
  batchesPerRound: 600,
  idsPerBatch: 1000,
  inFlight: 32,
  latencySlices: 20,
  latencySliceMs: 250,
  renewalsPerRound: 200,
  holders: 10_000,
  renewEveryMs: 10_000,
};

/** A smoke run, which runs everything, but too briefly for meaningful figures. */
export const QUICK: Settings = {
  rounds: 1,
  warmUpRounds: 1,
  requestsPerRound: 50,
  batchesPerRound: 5,
  idsPerBatch: 1000,
  inFlight: 8,
  latencySlices: 1,
  latencySliceMs: 100,
  renewalsPerRound: 5,
  holders: 20,
  renewEveryMs: 500,
};
