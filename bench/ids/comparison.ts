import { putClockBack, type ClockStepOutcome } from './measure/clock-step.js';
import { duplicatesInBurst } from './measure/duplicates.js';
import type { Speed } from './measure/speed.js';
import type { Rival } from './rivals/rival.js';
import type { Settings } from './settings.js';

/** All that is known of a rival at the end. */
export interface Standing {
  readonly rival: Rival;
  readonly speed: Speed;
  readonly burstDuplicates: number;
  /** Absent where the clock was not set back. */
  readonly clockStep?: ClockStepOutcome;
}

/** Finds out which IDs the rivals repeat. */
export async function checkAll(
  speeds: ReadonlyMap<Rival, Speed>,
  settings: Settings,
  onStep: (note: string) => void,
): Promise<Standing[]> {
  const standings: Standing[] = [];
  for (const [rival, speed] of speeds) {
    const burstDuplicates = await duplicatesInBurst(rival, settings.burstIds);
    const clockStep = await putClockBack(rival, settings.clockStepMs);
    standings.push({ rival, speed, burstDuplicates, clockStep });
    onStep(`${rival.name}, duplicates`);
  }
  return standings;
}

/** No ID came twice in any check. */
export function isCorrect({ burstDuplicates, clockStep }: Standing): boolean {
  return burstDuplicates === 0 && (clockStep?.duplicates ?? 0) === 0;
}

/** The other Snowflake packages that generate IDs of this type, the fastest first. */
export function peersBySpeed(standings: readonly Standing[], type: 'bigintNs' | 'stringNs'): Standing[] {
  return standings
    .filter(({ rival }) => rival.kind === 'snowflake' && !rival.name.startsWith('nestjs-snowflake'))
    .filter(({ speed }) => speed[type] !== undefined)
    .toSorted((a, b) => (a.speed[type] ?? 0) - (b.speed[type] ?? 0));
}
