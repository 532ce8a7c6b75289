import { SnowflakeError } from 'nestjs-snowflake';
import type { ClockRollbackPolicy } from 'nestjs-snowflake/core';
import { VirtualClock } from '../../../../libs/snowflake/src/stores/port/virtual-clock.js';
import { memoryLeaseStore } from '../../../../libs/snowflake/src/stores/memory/memory-lease-store.js';
import { MarkdownPage } from '../../../docs/markdown.js';
import { duplicatesIn } from '../../../lease/support/id-checks.js';
import { LeaseHolder } from '../../../support/leases/lease-holder.js';

const START_MS = Date.parse('2026-01-01T00:00:00Z');
const STEP_AFTER_MS = 20_000;
const END_AFTER_MS = 60_000;
const STEPS = { '4 ms': 4, '200 ms': 200, '1 h': 3_600_000 };
const POLICIES: readonly ClockRollbackPolicy[] = ['switch', 'hold', 'reuse', 'wait', 'throw'];
/** What an ID may be off, and what its call may take, without being worth a word. */
const UNNOTICED_MS = 5;

/** Timers are looked after every so often, since most of the time none is due. */
const TIMERS_EVERY_MS = 10;

/** A call of the store has been answered by then. */
const SWITCH_WITHIN_MS = 2 * TIMERS_EVERY_MS;

it('the table of rollback policies shows what each does', async () => {
  const { columns, rows } = MarkdownPage.read('docs/explanation/how-it-works.md').tablesUnder(
    'What a step back costs',
  )[0]!;
  const measured: string[][] = [];
  for (const policy of POLICIES) {
    const row = [`\`${policy}\``];
    for (const stepMs of Object.values(STEPS)) row.push((await new Process(policy, stepMs).run()).cost);
    measured.push(row);
  }
  expect(columns.slice(1)).toEqual(Object.keys(STEPS));
  expect(rows).toEqual(measured);
}, 120_000);

/** A clock that records how long calls were blocked. */
class BlockingClock extends VirtualClock {
  blockedMs = 0;
  longestBlockMs = 0;

  override blockUntil(targetMs: number, maxBlockMs: number): boolean {
    const beforeMs = this.now();
    const reached = super.blockUntil(targetMs, maxBlockMs);
    const ms = this.now() - beforeMs;
    this.blockedMs += ms;
    this.longestBlockMs = Math.max(this.longestBlockMs, ms);
    return reached;
  }
}

/** One process that requests an ID each millisecond. Its clock is ahead of that of the store, and is then corrected. */
class Process {
  private readonly holder: LeaseHolder<BlockingClock>;
  private passedMs = 0;

  refusedMs = 0;
  errorMs = 0;

  constructor(
    onClockRollback: ClockRollbackPolicy,
    private readonly aheadMs: number,
  ) {
    const store = memoryLeaseStore({ clock: { now: () => this.trueMs } });
    this.holder = new LeaseHolder(store, new BlockingClock(START_MS + aheadMs), { onClockRollback });
  }

  private get trueMs(): number {
    return START_MS + this.passedMs + this.holder.clock.blockedMs;
  }

  async run(): Promise<this> {
    const { clock, keeper } = this.holder;
    await keeper.start();
    while (this.passedMs < END_AFTER_MS) {
      if (this.passedMs === STEP_AFTER_MS) clock.step(-this.aheadMs);
      this.passedMs += 1;
      if (this.passedMs % TIMERS_EVERY_MS === 0) await clock.advance(1);
      else clock.freeze(1);
      this.issue();
    }
    expect(duplicatesIn([this.holder.ids])).toEqual([]);
    return this;
  }

  private issue(): void {
    try {
      const { timestampMs } = this.holder.issue();
      if (this.passedMs < STEP_AFTER_MS + SWITCH_WITHIN_MS) return;
      this.errorMs = Math.max(this.errorMs, Math.abs(timestampMs - this.trueMs));
    } catch (error) {
      if (!(error instanceof SnowflakeError && error.retryable)) throw error;
      this.refusedMs += 1;
    }
  }

  /** What a user notices. */
  get cost(): string {
    const time = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${Number((ms / 1000).toFixed(1))} s`);
    const { ids, clock } = this.holder;
    const descents = ids.filter((id, index) => id < (ids[index - 1] ?? 0n)).length;
    const effects = [
      this.errorMs > UNNOTICED_MS && `timestamps off by ${time(this.errorMs)}`,
      descents > 0 && `${descents === 1 ? 'one break' : `${descents} breaks`} of the order`,
      clock.longestBlockMs > 0 && `a call of ${time(clock.longestBlockMs)}`,
      this.refusedMs > UNNOTICED_MS && `no IDs for ${time(this.refusedMs)}`,
    ];
    return effects.filter(Boolean).join(', ') || '-';
  }
}
