/** The extent of a run. */
export interface Settings {
  /** Batches of calls per kind. The report has the minimum of the batches. */
  readonly batches: number;
  /** Calls per batch. */
  readonly callsPerBatch: number;
  /** Worker IDs of the large registry. */
  readonly manyWorkerIds: number;
  /** Holders that acquire at once, and how often that is tried. */
  readonly crowd: number;
  readonly crowdRounds: number;
  /** Connections that the crowd shares. */
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

/** A smoke run, which runs everything, but too briefly for meaningful figures. */
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
