/** How much is measured. */
export interface Settings {
  /** Each speed is measured so often, all rivals in turn; the quickest round counts. */
  readonly rounds: number;
  /** Bursts a round. */
  readonly bursts: number;
  /** How long a function runs at most before it is timed, so that it is optimised code that is timed. */
  readonly warmUpMs: number;
  /** IDs of a burst in which duplicates are searched for. */
  readonly burstIds: number;
  /** How far the clock is set back. */
  readonly clockStepMs: number;
  /** Turns of the event loop with one call each. */
  readonly sparseTurns: number;
}

export const FULL: Settings = {
  rounds: 24,
  bursts: 10,
  warmUpMs: 50,
  burstIds: 1_000_000,
  clockStepMs: 1000,
  sparseTurns: 96_000,
};

/** A smoke run: everything happens, but the numbers mean little. */
export const QUICK: Settings = {
  rounds: 1,
  bursts: 3,
  warmUpMs: 5,
  burstIds: 20_000,
  clockStepMs: 50,
  sparseTurns: 200,
};
