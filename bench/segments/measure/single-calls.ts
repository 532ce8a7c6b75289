import { setImmediate as nextTurn } from 'node:timers/promises';
import { openSource, slowStore } from '../sources.js';
import type { Settings } from '../settings.js';
import { Histogram, type Summary } from './histogram.js';

/** Times of single calls, beside those of an empty function at the same time. */
export interface SingleCalls {
  readonly what: string;
  readonly calls: Summary;
  /** The time of two clock readings, including all disturbances of the host. */
  readonly control: Summary;
  /** Shares of calls above {@link GOAL_NS}. */
  readonly shareAbove: number;
  readonly controlShareAbove: number;
  /** The share above it, minus what the control lets expect: a disturbance meets a call that is twice as long twice as often. */
  readonly excessShare: number;
}

/** The goal for 99.99 % of all calls. */
export const GOAL_NS = 300;

/** As a bulk insert makes them. The first of each finds cold caches, so it has a row of its own as well. */
export const CALLS_PER_TURN = 20_000;
const SMALL_STEP = 1000;
const ROUNDS = 5;

const nothing = (): number => 0;

/**
 * Times calls while segments are claimed in the background, 100,000 numbers at a time. Of all rounds, returns the one in
 * which the control was disturbed least.
 */
export async function timeSingleCalls({ timedCalls }: Settings): Promise<SingleCalls> {
  const { source, stop } = await openSource(slowStore(0), { step: 100_000 });
  // Leaves out the calls in which V8 compiles.
  timeAlternately(() => source.next(), CALLS_PER_TURN, 0, new Histogram(), new Histogram());
  const rounds: SingleCalls[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const [calls, control] = [new Histogram(), new Histogram()];
    for (let turn = 0; turn < timedCalls / ROUNDS / CALLS_PER_TURN; turn++) {
      await source.ready(CALLS_PER_TURN);
      timeAlternately(() => source.next(), CALLS_PER_TURN, turn, calls, control);
      await nextTurn();
    }
    rounds.push(compared('any call', calls, control));
  }
  await stop();
  return rounds.reduce((best, each) => (each.controlShareAbove < best.controlShareAbove ? each : best));
}

/** Times the first call of a turn, as an app makes it that needs one number per request. */
export async function timeFirstsOfTurns({ timedEnds }: Settings): Promise<SingleCalls> {
  const { source, stop } = await openSource(slowStore(0), { step: 100_000 });
  const [calls, control] = [new Histogram(), new Histogram()];
  for (let made = 0; made < timedEnds; made++) {
    await source.ready();
    timeAlternately(() => source.next(), 1, made, calls, control);
    await nextTurn();
  }
  await stop();
  return compared('the first of a turn', calls, control);
}

/** Times only those calls that end one segment and begin the next. */
export async function timeEndsOfSegments({ timedEnds }: Settings): Promise<SingleCalls> {
  const { source, stop } = await openSource(slowStore(0), { step: SMALL_STEP });
  const [calls, control] = [new Histogram(), new Histogram()];
  for (let made = 0; made < timedEnds; made++) {
    await source.ready(SMALL_STEP + 1);
    // The first call uses the first number of a segment.
    timeAlternately(() => source.next(), 1, made, calls, control);
    source.nextMany(SMALL_STEP - 1);
    if (made % 100 === 0) await nextTurn();
  }
  await stop();
  return compared('the first of a segment', calls, control);
}

/**
 * Reads the clock around each call, and around as many calls of an empty function. Takes turns who is first, also who is
 * the first of all: that one finds cold caches.
 */
function timeAlternately(
  call: () => number,
  times: number,
  turn: number,
  calls: Histogram,
  control: Histogram,
): void {
  for (let at = turn; at < turn + times; at++) {
    const isCallFirst = at % 2 === 0;
    const fromMs = performance.now();
    if (isCallFirst) call();
    else nothing();
    const betweenMs = performance.now();
    if (isCallFirst) nothing();
    else call();
    const untilMs = performance.now();
    const [first, second] = isCallFirst ? [calls, control] : [control, calls];
    first.add((betweenMs - fromMs) * 1e6);
    second.add((untilMs - betweenMs) * 1e6);
  }
}

function compared(what: string, calls: Histogram, control: Histogram): SingleCalls {
  const [own, other] = [calls.summary(), control.summary()];
  const [shareAbove, controlShareAbove] = [calls.shareAbove(GOAL_NS), control.shareAbove(GOAL_NS)];
  const excessShare = shareAbove - controlShareAbove * (own.p50Ns / other.p50Ns);
  return { what, calls: own, control: other, shareAbove, controlShareAbove, excessShare };
}
