import type { Made, Rival } from '../rivals/rival.js';
import type { Settings } from '../settings.js';
import { loopOf } from './loop-of.js';
import { ownMappingLoop } from './own-loop.js';
import { timePerCall } from './time-per-call.js';

/** IDs of a burst: fewer than 12 bits of sequence have in a millisecond. */
export const BURST_IDS = 4000;
const DECODED_IDS = 1000;

/** ns per ID; absent where the package has no such function. */
export interface Speed {
  bigintNs?: number;
  stringNs?: number;
  decodeNs?: number;
}

type Measured = keyof Speed;
const KINDS: readonly Measured[] = ['bigintNs', 'stringNs', 'decodeNs'];
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
  return { bigintNs: [], stringNs: [], decodeNs: [] };
}

/** Of the quickest round: a machine that others share is at half its speed for seconds, and then a median is too. */
function leastOf(rounds: Record<Measured, number[]>): Speed {
  const speed: Speed = {};
  for (const kind of KINDS) if (rounds[kind].length > 0) speed[kind] = Math.min(...rounds[kind]);
  return speed;
}

async function oneRound(rival: Rival, kind: Measured, settings: Settings): Promise<number | undefined> {
  const maker = await rival.make();
  if (kind === 'decodeNs') {
    if (!maker.decode || !maker.string) return undefined;
    return timeOfDecode(maker.decode, maker.string, settings);
  }
  const source = kind === 'bigintNs' ? maker.bigint : maker.string;
  return source && timePerId(source, rival.idsPerCall, settings, burstIdsOf(rival));
}

/** IDs of a rival's bursts: they have to fit a millisecond of its layout. */
function burstIdsOf({ idsPerMs = BURST_IDS }: Rival): number {
  return idsPerMs < BURST_IDS ? Math.floor(idsPerMs / 1000) * 1000 : BURST_IDS;
}

/** Time per ID in ns of a source that makes `idsPerCall` at a time. */
export async function timePerId(
  source: () => Made,
  idsPerCall: number,
  settings: Settings,
  burstIds = BURST_IDS,
): Promise<number> {
  const calls = Math.max(1, Math.round(burstIds / idsPerCall));
  const { run } = loopOf(source, calls);
  await warmUp(run, calls, settings.warmUpMs);
  return (await timePerCall(run, calls, settings.bursts)) / idsPerCall;
}

async function timeOfDecode(
  decode: (id: string) => unknown,
  source: () => Made,
  settings: Settings,
): Promise<number> {
  const { kept, run } = loopOf(source, DECODED_IDS);
  await run(DECODED_IDS);
  const loop = ownMappingLoop(decode, kept as string[], new Array<unknown>(DECODED_IDS));
  await warmUp(loop, DECODED_IDS, settings.warmUpMs);
  return timePerCall(loop, DECODED_IDS, settings.bursts);
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
