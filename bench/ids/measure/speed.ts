import type { Made, Rival } from '../rivals/rival.js';
import type { Settings } from '../settings.js';
import { loopOf } from './loop-of.js';
import { median } from './median.js';
import { ownLoop } from './own-loop.js';
import { timePerCall } from './time-per-call.js';

/** IDs of a burst: fewer than any rival has in a millisecond. */
export const BURST_IDS = 1000;

/** ns per ID; absent where the package has no such function. */
export interface Speed {
  bigintNs?: number;
  stringNs?: number;
  decodeNs?: number;
}

type Measured = keyof Speed;
const KINDS: readonly Measured[] = ['bigintNs', 'stringNs', 'decodeNs'];
const WARM_UP_BURSTS = 8;

/** Measures all rivals in turn, round after round, so that a noise of the machine does not hit one of them alone. */
export async function measureSpeed(
  rivals: readonly Rival[],
  settings: Settings,
  onStep: (note: string) => void,
): Promise<Map<Rival, Speed>> {
  const rounds = new Map(rivals.map((rival) => [rival, emptyRounds()]));
  for (let round = 0; round < settings.rounds; round++) {
    for (const [rival, values] of rounds) {
      for (const kind of KINDS) {
        const ns = await oneRound(rival, kind, settings.bursts);
        if (ns !== undefined) values[kind].push(ns);
      }
      onStep(rival.name);
    }
  }
  return new Map([...rounds].map(([rival, values]) => [rival, mediansOf(values)]));
}

function emptyRounds(): Record<Measured, number[]> {
  return { bigintNs: [], stringNs: [], decodeNs: [] };
}

function mediansOf(rounds: Record<Measured, number[]>): Speed {
  const speed: Speed = {};
  for (const kind of KINDS) if (rounds[kind].length > 0) speed[kind] = median(rounds[kind]);
  return speed;
}

async function oneRound(rival: Rival, kind: Measured, bursts: number): Promise<number | undefined> {
  const maker = await rival.make();
  if (kind === 'decodeNs') {
    if (!maker.decode || !maker.string) return undefined;
    return timeOfDecode(maker.decode, maker.string, bursts);
  }
  const source = kind === 'bigintNs' ? maker.bigint : maker.string;
  return source && timePerId(source, rival.idsPerCall, bursts);
}

/** Time per ID in ns of a source that makes `idsPerCall` at a time. */
export async function timePerId(source: () => Made, idsPerCall: number, bursts: number): Promise<number> {
  const calls = Math.max(1, Math.round(BURST_IDS / idsPerCall));
  const { run } = loopOf(source, calls);
  // Several bursts without being timed, so that the optimised code is what is timed.
  for (let burst = 0; burst < WARM_UP_BURSTS; burst++) await run(calls);
  return (await timePerCall(run, calls, bursts)) / idsPerCall;
}

async function timeOfDecode(
  decode: (id: string) => unknown,
  source: () => Made,
  bursts: number,
): Promise<number> {
  const { kept, run } = loopOf(source, BURST_IDS);
  await run(BURST_IDS);
  const ids = kept as string[];
  let at = 0;
  const decodeNext = (): unknown => decode(ids[at++ % BURST_IDS] ?? '');
  const loop = ownLoop(decodeNext, new Array<unknown>(BURST_IDS));
  for (let burst = 0; burst < WARM_UP_BURSTS; burst++) loop(BURST_IDS);
  return timePerCall(loop, BURST_IDS, bursts);
}
