import type { Made, Rival } from '../rivals/rival.js';
import type { Settings } from '../settings.js';
import { loopOf } from './loop-of.js';
import { timePerCall } from './time-per-call.js';

/** IDs of a burst: fewer than 12 bits of sequence have in a millisecond. */
const BURST_IDS = 4000;

/** ns per ID; absent where the package has no such function. */
export interface Speed {
  bigintNs?: number;
  stringNs?: number;
}

type Measured = keyof Speed;
const KINDS: readonly Measured[] = ['bigintNs', 'stringNs'];
/** Calls of a warm-up at most. */
const WARM_UP_CALLS = 100_000;

/** Measures all rivals in turn, round after round, so that a noise of the machine does not hit one of them alone. */
export async function measureSpeed(
  rivals: readonly Rival[],
  settings: Settings,
  onStep: (note: string) => void,
  afterRound: () => Promise<void>,
): Promise<Map<Rival, Speed>> {
  const rounds = new Map(rivals.map((rival) => [rival, emptyRounds()]));
  for (let round = 0; round < settings.rounds; round++) {
    for (const [rival, values] of rounds) {
      for (const kind of KINDS) {
        const ns = await oneRound(rival, kind, settings);
        if (ns !== undefined) values[kind].push(ns);
      }
      onStep(rival.name);
    }
    await afterRound();
  }
  return new Map([...rounds].map(([rival, values]) => [rival, leastOf(values)]));
}

function emptyRounds(): Record<Measured, number[]> {
  return { bigintNs: [], stringNs: [] };
}

/** Of the quickest round: a machine that others share is at half its speed for seconds, and then a median is too. */
function leastOf(rounds: Record<Measured, number[]>): Speed {
  const speed: Speed = {};
  for (const kind of KINDS) if (rounds[kind].length > 0) speed[kind] = Math.min(...rounds[kind]);
  return speed;
}

async function oneRound(rival: Rival, kind: Measured, settings: Settings): Promise<number | undefined> {
  const maker = await rival.make();
  const source = kind === 'bigintNs' ? maker.bigint : maker.string;
  return source && timePerId(source, rival, settings);
}

/** Returns the time per ID in ns. */
async function timePerId(
  source: () => Made,
  { idsPerCall, burstIds = BURST_IDS }: Rival,
  settings: Settings,
): Promise<number> {
  const calls = Math.max(1, Math.round(burstIds / idsPerCall));
  const { run } = loopOf(source, calls);
  await warmUp(run, calls, settings.warmUpMs);
  return (await timePerCall(run, calls, settings.bursts)) / idsPerCall;
}

async function warmUp(
  run: (calls: number) => void | Promise<void>,
  callsAtOnce: number,
  forMs: number,
): Promise<void> {
  const endMs = performance.now() + forMs;
  for (let calls = 0; calls < WARM_UP_CALLS && performance.now() < endMs; calls += callsAtOnce) {
    await run(callsAtOnce);
  }
}
