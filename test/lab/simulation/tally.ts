import { Histogram } from './histogram.js';
import type { Verdict } from './checker.js';
import type { Outcome } from './simulation.js';

/** What many runs of one class of faults came to. */
export class Tally {
  seeds = 0;
  readonly failingSeeds: number[] = [];
  readonly stampErrors = new Histogram();
  readonly sum: Verdict = {
    ids: 0,
    duplicates: 0,
    copiedIds: 0,
    sharedTicks: 0,
    interleavedTenures: 0,
    disorders: 0,
    attempts: 0,
    refusals: 0,
    unready: 0,
    silentHosts: 0,
  };

  add({ seed, verdict, stampErrors }: Outcome): void {
    this.seeds++;
    for (const name of Object.keys(this.sum) as (keyof Verdict)[]) this.sum[name] += verdict[name];
    this.stampErrors.addAll(stampErrors);
    if (problemOf(verdict)) this.failingSeeds.push(seed);
  }

  get duplicatesPerMillion(): number {
    return (1e6 * this.sum.duplicates) / Math.max(1, this.sum.ids);
  }

  /** Share of attempts to generate an ID that failed, the wait for the first lease included. */
  get failedShare(): number {
    return (this.sum.refusals + this.sum.unready) / Math.max(1, this.sum.attempts);
  }
}

/** What a run of this library's protocol must not show, in words. */
export function problemOf(verdict: Verdict): string | undefined {
  const problems: string[] = [];
  const note = (count: number, what: string): void => {
    if (count > 0) problems.push(`${count} ${what}`);
  };
  note(verdict.duplicates, 'IDs made twice');
  note(verdict.sharedTicks, 'ticks of a worker ID used by two holders');
  note(verdict.interleavedTenures, 'tenures of a worker ID that interleave');
  note(verdict.disorders, 'IDs that do not ascend');
  note(verdict.silentHosts, 'hosts that generate no ID any more though the faults are over');
  return problems.length > 0 ? problems.join(', ') : undefined;
}
