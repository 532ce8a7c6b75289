/** The extent of a run. */
export interface Settings {
  /** Rounds per speed, all speeds in turn. The fastest round counts. */
  readonly rounds: number;
  /** The same for the quickest of them, whose rounds are over in a moment. */
  readonly quickRounds: number;
  readonly callsPerRound: number;
  /** Single calls whose time is read, and as many of an empty function. */
  readonly timedCalls: number;
  /** Ends of segments whose call is timed. */
  readonly timedEnds: number;
  /** Seconds of even traffic for each latency of the database. */
  readonly trafficSeconds: number;
  /** Numbers in which duplicates are searched for. */
  readonly uniqueNumbers: number;
}

export const FULL: Settings = {
  rounds: 10,
  quickRounds: 200,
  callsPerRound: 2_000_000,
  timedCalls: 10_000_000,
  timedEnds: 5_000,
  trafficSeconds: 10,
  uniqueNumbers: 20_000_000,
};

/** A smoke run, which runs everything, but too briefly for meaningful figures. */
export const QUICK: Settings = {
  rounds: 1,
  quickRounds: 1,
  callsPerRound: 20_000,
  timedCalls: 100_000,
  timedEnds: 200,
  trafficSeconds: 1,
  uniqueNumbers: 100_000,
};
