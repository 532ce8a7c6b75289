import type { Clock } from './clock.js';

/** IDs that may go out on one look at the clock while calls are dense: bounds how stale their tick can be. */
const RUN = 32;
/** So many looks at the clock in a row must show the same tick before calls count as dense. */
const DENSE_AFTER = 4;
/** Each run that is left unused doubles that, up to here. */
const DENSE_AFTER_AT_MOST = 256;

/**
 * Decides how many IDs may go out on one look at the clock: one when calls are rare, a short run when they are dense.
 *
 * A run is called back when the running synchronous code returns ({@link Clock.afterThisTurn}), so that a stale tick is
 * never served after the event loop has turned. That costs many times what an ID costs. Calls that come one per turn, with
 * many turns to a tick, look dense and leave their run unused: from then on more looks are asked for, until a run is used.
 */
export class DenseRuns {
  private denseAfter = DENSE_AFTER;
  /** How many looks it is to the one that counts as dense, that one included. */
  private looksLeft = DENSE_AFTER;
  private runsThisTurn = 0;
  private readonly endTurn = (): void => {
    const isUnused = this.takeBack() === RUN - 1 && this.runsThisTurn === 1;
    this.denseAfter = isUnused ? Math.min(2 * this.denseAfter, DENSE_AFTER_AT_MOST) : DENSE_AFTER;
    this.looksLeft = this.denseAfter;
    this.runsThisTurn = 0;
  };

  /** @param takeBack takes back what is left of the run, and says how much that was */
  constructor(
    private readonly clock: Clock,
    private readonly takeBack: () => number,
  ) {}

  /** The clock showed another tick. */
  beginTick(): void {
    this.looksLeft = this.denseAfter;
  }

  /** The clock showed the same tick as last time. @returns whether calls still count as rare: else {@link grant} decides */
  countLook(): boolean {
    if (this.looksLeft === 1) return false;
    this.looksLeft--;
    return true;
  }

  /** The clock showed the same tick as last time. @returns how many IDs may go out before the next look */
  grant(): number {
    if (this.countLook()) return 1;
    if (!this.clock.afterThisTurn) {
      this.looksLeft = this.denseAfter;
      return 1;
    }
    if (this.runsThisTurn === 0) this.clock.afterThisTurn(this.endTurn);
    this.runsThisTurn++;
    return RUN;
  }
}
