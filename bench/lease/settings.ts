/** How much is measured. */
export interface Settings {
  /** Calls of each kind are measured in so many batches; the least of the batches and their median are told. */
  readonly batches: number;
  /** Calls a batch. */
  readonly callsPerBatch: number;
  /** Worker IDs of the large registry. */
  readonly manyWorkerIds: number;
  /** Holders that acquire at once, and how often that is tried. */
  readonly crowd: number;
  readonly crowdRounds: number;
  /** Connections that the crowd shares out among itself, besides the run on a single one. */
  readonly crowdConnections: number;
  /** Holders whose commands are counted. */
  readonly holders: number;
  /** The window of those holders, and for how long their commands are counted. */
  readonly holderWindowMs: number;
}

export const FULL: Settings = {
  batches: 18,
  callsPerBatch: 50,
  manyWorkerIds: 65_536,
  crowd: 1024,
  crowdRounds: 9,
  crowdConnections: 32,
  holders: 16,
  holderWindowMs: 60_000,
};

/** A smoke run: everything happens, but the numbers mean little. */
export const QUICK: Settings = {
  batches: 2,
  callsPerBatch: 10,
  manyWorkerIds: 8192,
  crowd: 64,
  crowdRounds: 2,
  crowdConnections: 4,
  holders: 2,
  holderWindowMs: 3000,
};
