import { setImmediate as nextTurn } from 'node:timers/promises';
import { openSource, slowStore } from '../sources.js';
import type { Settings } from '../settings.js';
import { Histogram, type Summary } from './histogram.js';

/** Times of single calls, beside those of an empty function at the same time. */
export interface SingleCalls {
  readonly what: string;
  readonly calls: Summary;
  /** What reading the clock twice takes, with all that disturbs the machine. */
  readonly control: Summary;
  /** Share of calls above {@link GOAL_NS}, minus that of the control. */
  readonly excessShare: number;
}

/** The goal for 99.99 % of all calls. */
export const GOAL_NS = 300;
export const GOAL_SHARE = 0.0001;

const CALLS_PER_TURN = 5000;
const SMALL_STEP = 1000;

const nothing = (): number => 0;

/** Times calls while segments are claimed in the background, 100,000 numbers at a time. */
export async function timeSingleCalls({ timedCalls }: Settings): Promise<SingleCalls> {
  const { source, stop } = await openSource(slowStore(0), { step: 100_000 });
  const [calls, control] = [new Histogram(), new Histogram()];
  // Not the calls in which V8 compiles.
  timeAlternately(() => source.next(), CALLS_PER_TURN, new Histogram(), new Histogram());
  for (let made = 0; made < timedCalls; made += CALLS_PER_TURN) {
    await source.ready(CALLS_PER_TURN);
    timeAlternately(() => source.next(), CALLS_PER_TURN, calls, control);
    await nextTurn();
  }
  await stop();
  return compared('any call', calls, control);
}

/** Times only those calls that end one segment and begin the next. */
export async function timeEndsOfSegments({ timedEnds }: Settings): Promise<SingleCalls> {
  const { source, stop } = await openSource(slowStore(0), { step: SMALL_STEP });
  const [calls, control] = [new Histogram(), new Histogram()];
  for (let made = 0; made < timedEnds; made++) {
    await source.ready(SMALL_STEP + 1);
    // The first call uses the first number of a segment.
    timeAlternately(() => source.next(), 1, calls, control);
    source.nextMany(SMALL_STEP - 1);
    if (made % 100 === 0) await nextTurn();
  }
  await stop();
  return compared('the first of a segment', calls, control);
}

/** Reads the clock around each call, and around as many calls of an empty function. Takes turns who is first. */
function timeAlternately(call: () => number, times: number, calls: Histogram, control: Histogram): void {
  for (let at = 0; at < times; at++) {
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
  const excessShare = calls.shareAbove(GOAL_NS) - control.shareAbove(GOAL_NS);
  return { what, calls: calls.summary(), control: control.summary(), excessShare };
}
