import type { Clock } from '../clock/clock.js';

/** IDs issued per clock reading while calls are dense. Bounds how stale their tick can be. */
const RUN = 32;
/** Number of consecutive clock readings that must show the same tick before calls count as dense. */
const DENSE_AFTER = 4;
/** Each unused run doubles that number, up to this one. */
const DENSE_AFTER_AT_MOST = 256;

/**
 * Decides how many IDs may be issued per clock reading: one when calls are rare, a short run when they are dense.
 *
 * A run is revoked when the running synchronous code returns ({@link Clock.afterThisTurn}), so that no stale tick is
 * used after the event loop has turned. Revoking costs many times as much as an ID. Calls that come once per turn, with
 * many turns per tick, look dense but leave their run unused. After that, more readings are required until a run is
 * used.
 */
export class DenseRuns {
  private denseAfter = DENSE_AFTER;
  /** Readings of the same tick until calls count as dense, including the last. */
  private readingsUntilDense = DENSE_AFTER;
  private runsThisTurn = 0;
  private readonly endTurn = (): void => {
    const revoked = this.revokeCredit();
    // The call that got the run used one of its IDs, and no other call came in this turn.
    const wasInVain = this.runsThisTurn === 1 && revoked === RUN - 1;
    this.denseAfter = wasInVain ? Math.min(2 * this.denseAfter, DENSE_AFTER_AT_MOST) : DENSE_AFTER;
    this.readingsUntilDense = this.denseAfter;
    this.runsThisTurn = 0;
  };

  /** @param revokeCredit revokes the rest of a run and returns its size */
  constructor(
    private readonly clock: Clock,
    private readonly revokeCredit: () => number,
  ) {}

  /** Whether calls count as dense if the next reading shows the same tick, too. */
  get isNextDense(): boolean {
    return this.readingsUntilDense === 1;
  }

  /** Records that the clock showed another tick. */
  beginTick(): void {
    this.readingsUntilDense = this.denseAfter;
  }

  /** Records a reading of the same tick, after which calls still count as rare: {@link isNextDense} was false. */
  recordRareReading(): void {
    this.readingsUntilDense--;
  }

  /** Records a reading of the same tick. @returns how many IDs may be issued before the next reading */
  recordReading(): number {
    if (!this.isNextDense) {
      this.recordRareReading();
      return 1;
    }
    if (!this.clock.afterThisTurn) {
      this.readingsUntilDense = this.denseAfter;
      return 1;
    }
    if (this.runsThisTurn === 0) this.clock.afterThisTurn(this.endTurn);
    this.runsThisTurn++;
    return RUN;
  }
}
