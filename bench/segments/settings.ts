/** The extent of a run. */
export interface Settings {
  /** Rounds per speed, all speeds in turn. The fastest round counts. */
  readonly rounds: number;
  /** The same for small numbers, whose rounds are over in a moment. */
  readonly quickRounds: number;
  readonly callsPerRound: number;
  /** Seconds of even traffic for each latency of the database. */
  readonly trafficSeconds: number;
}

export const FULL: Settings = { rounds: 10, quickRounds: 200, callsPerRound: 2_000_000, trafficSeconds: 10 };

/** A smoke run, which runs everything, but too briefly for meaningful figures. */
export const QUICK: Settings = { rounds: 1, quickRounds: 1, callsPerRound: 20_000, trafficSeconds: 1 };
