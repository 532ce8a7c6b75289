import { writeFileSync } from 'node:fs';
import { requireFaketime } from '../../../support/servers/binaries.js';
import type { Stage } from './stage.js';

/** libfaketime looks at its file so often: a step of the clock is seen no later than after this, in milliseconds. */
export const STEP_SEEN_WITHIN_MS = 1000;

/** The wall clock of a process, as libfaketime shows it; its monotonic clock and its timers stay true. */
export class FakeClock {
  private readonly file: string;

  constructor(stage: Stage, name: string, aheadMs: number) {
    this.file = stage.file(`${name}.clock`);
    this.set(aheadMs);
  }

  /** Environment of the process. */
  get env(): NodeJS.ProcessEnv {
    return {
      LD_PRELOAD: requireFaketime(),
      FAKETIME_TIMESTAMP_FILE: this.file,
      FAKETIME_CACHE_DURATION: String(STEP_SEEN_WITHIN_MS / 1000),
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
  }

  /** Sets the clock so far ahead of the true time; behind it when negative. */
  set(aheadMs: number): void {
    const seconds = Math.round(aheadMs / 1000);
    writeFileSync(this.file, `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}\n`);
  }
}
