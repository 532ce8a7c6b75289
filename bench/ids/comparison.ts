import { putClockBack, type ClockStepOutcome } from './measure/clock-step.js';
import { duplicatesInBurst } from './measure/duplicates.js';
import type { Speed } from './measure/speed.js';
import { sustainedPerSecond } from './measure/sustained.js';
import type { Rival } from './rivals/rival.js';
import type { Settings } from './settings.js';

/** All that is known of a rival at the end. */
export interface Standing {
  readonly rival: Rival;
  readonly speed: Speed;
  readonly sustainedPerSecond: number;
  readonly burstDuplicates: number;
  /** Absent where the clock was not put back. */
  readonly clockStep?: ClockStepOutcome;
}

/** Shows progress: `done` of {@link comparisonSteps}. */
export type OnStep = (note: string) => void;

export function comparisonSteps(rivals: readonly Rival[], { rounds }: Settings): number {
  return rivals.length * (rounds + 3);
}

/** What a rival holds in an endless loop, and which IDs it repeats. */
export async function checkAll(
  speeds: ReadonlyMap<Rival, Speed>,
  settings: Settings,
  onStep: OnStep,
): Promise<Standing[]> {
  const standings: Standing[] = [];
  for (const [rival, speed] of speeds) {
    const sustained = await sustainedPerSecond(rival, settings.sustainedMs);
    onStep(`${rival.name}, sustained`);
    const burstDuplicates = await duplicatesInBurst(rival, settings.burstIds);
    onStep(`${rival.name}, duplicates`);
    const clockStep = await putClockBack(rival, settings.clockStepMs);
    onStep(`${rival.name}, clock step`);
    standings.push({ rival, speed, sustainedPerSecond: sustained, burstDuplicates, clockStep });
  }
  return standings;
}

/** No ID came twice in any check. */
export function isCorrect({ burstDuplicates, clockStep }: Standing): boolean {
  return burstDuplicates === 0 && (clockStep?.duplicates ?? 0) === 0;
}

/** The other Snowflake packages that make IDs of this type, the fastest first. */
export function peersBySpeed(standings: readonly Standing[], type: 'bigintNs' | 'stringNs'): Standing[] {
  return standings
    .filter(({ rival }) => rival.kind === 'snowflake' && !rival.name.startsWith('nestjs-snowflake'))
    .filter(({ speed }) => speed[type] !== undefined)
    .toSorted((a, b) => (a.speed[type] ?? 0) - (b.speed[type] ?? 0));
}
