import type { SnowflakeError } from '../core/errors/snowflake-error.js';
import { StoppedError } from '../core/errors/issuing-errors.js';
import type { HeldLease, LeaseRefusal } from './lease-answer.js';
import type { LeaseEvent } from './lease-events.js';
import { clockTimeUntilMs, isShort } from './lease-schedule.js';
import type {
  Effect,
  EventOf,
  EventType,
  MachineEvent,
  MachineRules,
  MachineState,
  Purpose,
  Readings,
  StoreUse,
} from './machine-state.js';
import { AcquireTimeoutError } from '../core/errors/lease-errors.js';

/** How long after the first lost answer the last refusal still explains why startup got no lease, in milliseconds. */
const RECENTLY_MS = 5000;

/** What a step depends on. */
export interface Situation<Event extends MachineEvent = MachineEvent> {
  readonly state: MachineState;
  readonly event: Event;
  readonly now: Readings;
  readonly rules: MachineRules;
}

/** What a step changes, what it does, and then what listeners learn. */
export interface Step {
  readonly state?: Partial<MachineState>;
  readonly effects?: readonly Effect[];
  readonly events?: readonly LeaseEvent[];
}

/** What a step depends on that handles one type of event. */
export type On<Type extends EventType> = Situation<EventOf<Type>>;

export const nothing = (): Step => ({});
export const openStore = (): Step => ({ effects: [{ do: 'open-store' }] });
export const closeStore = (): Step => ({ effects: [{ do: 'close-store' }] });

// ---- Which row applies ----

export const isIdle = ({ state }: Situation): boolean => state.call === undefined;
export const isSwitch = ({ state }: Situation): boolean => state.call === 'switch' && !state.isCopied;
export const isUsedUp = ({ now }: Situation): boolean => !now.canIssue;
export const isInReserve = ({ state, now, rules }: Situation): boolean =>
  now.nowMs > clockTimeUntilMs(heldLease(state).untilMs, rules);
export const mayGrantLater = ({ event }: On<'refused'>): boolean => event.wait !== undefined;
/** An app that has booted goes on, as one does that holds a lease. */
export const mayRetry = ({ state, event }: On<'failed' | 'refused'>): boolean =>
  event.error.retryable || state.isInBackground;
export const mayEndWithoutLease = ({ rules }: Situation): boolean => !rules.waitAtBoot;

// ---- The first lease ----

export const acquire = ({ state }: Situation): Step => request(state, 'acquire');

export function beginIssuing({ state, event, now, rules }: On<'granted'>): Step {
  const { lease, storeNowMs } = event;
  return joined(
    {
      state: { lease, refusal: undefined, unused: undefined },
      effects: [{ do: 'adopt', lease }, { do: 'begin-renewals' }],
      events: [acquiredEvent(state, lease, 'start')],
    },
    endOutage(state, now),
    isShort(lease.untilMs - storeNowMs, rules) ? request({ ...state, lease }, 'renew') : NO_CALL,
  );
}

export function waitForGrant(situation: On<'refused'>): Step {
  const { state, event, now } = situation;
  const { wait: refusal } = event;
  if (!refusal) return {};
  const wait: Step = {
    state: { refusal },
    effects: [{ do: 'wait', waitMs: refusal.waitMs }],
    events: waitingEvents(state, refusal),
  };
  return joined(NO_CALL, endOutage(state, now), wait, afterAnswer(situation));
}

/** Tries again after a failure. */
export function acquireLater(situation: On<'failed' | 'refused'>): Step {
  const { event } = situation;
  // The store returns such a grant again to the next attempt, so there is one at most.
  const unused = event.type === 'failed' ? event.unused : undefined;
  return joined(retryLater(situation), { state: { unused } }, afterAnswer(situation));
}

/** Ends the start, and goes on to acquire a lease. */
export const leaveToBackground = ({ state }: Situation): Step =>
  state.isInBackground ? {} : { state: { isInBackground: true }, effects: [{ do: 'end-start' }] };

/** A start that doesn't wait is over as soon as the store has answered. */
function afterAnswer(situation: Situation): Step {
  return mayEndWithoutLease(situation) ? leaveToBackground(situation) : {};
}

// ---- Renewals ----

export function renew({ state, now, rules }: Situation): Step {
  return request(state, state.mustSwitch || isFarAhead(now, rules) ? 'switch' : 'renew');
}

export function extend({ state, event, now, rules }: On<'kept'>): Step {
  const { fencingToken, untilMs, durationMs } = event;
  const { workerId } = heldLease(state);
  return joined(
    {
      state: { lease: { ...heldLease(state), fencingToken, untilMs } },
      effects: [{ do: 'extend', untilMs }],
      events: [{ type: 'renewed', workerId, untilMs, durationMs }],
    },
    endOutage(state, now),
    // After `stay`, no switch follows, because no other worker ID is free.
    state.call === 'renew' && isFarAhead(now, rules) ? request(state, 'switch') : endCall(state),
  );
}

/** Another process has the worker ID, and the store has granted another one. */
export function replaceLost({ state, event, now }: On<'granted'>): Step {
  const { lease } = event;
  const events: readonly LeaseEvent[] = state.isCopied
    ? [acquiredEvent(state, lease, 'copied')]
    : [{ type: 'lost', workerId: heldLease(state).workerId }, acquiredEvent(state, lease, 'lost')];
  return joined(
    { state: { lease, isCopied: false }, effects: [{ do: 'adopt', lease }], events },
    endOutage(state, now),
    endCall(state),
  );
}

/** Ends the use of the worker ID at once, because a copy of this process generates the same IDs, and acquires another one. */
export function leaveToCopy({ state, now }: On<'copied'>): Step {
  const { workerId } = heldLease(state);
  const copied = { ...state, isCopied: true };
  return joined(
    {
      state: { isCopied: true },
      effects: [{ do: 'pause-issuing' }],
      events: [{ type: 'copied', workerId, lastUsedMs: now.lastUsedMs }],
    },
    endOutage(state, now),
    request(copied, state.mustSwitch ? 'switch' : 'acquire'),
  );
}

/** Counts a failure, and tries again later. A switch that failed stays due. */
export function retryLater({ state, event, now, rules }: On<'failed' | 'refused'>): Step {
  const { outage, call, failedCalls, mustSwitch } = state;
  const lease = state.isCopied ? undefined : state.lease;
  const { error } = event;
  const refusal = event.type === 'refused' ? event.wait : undefined;
  return {
    state: {
      call: undefined,
      mustSwitch: mustSwitch || call === 'switch' || call === 'stay',
      outage: {
        sinceMs: outage?.sinceMs ?? now.clockMs,
        failures: (outage?.failures ?? 0) + (refusal ? 0 : 1),
        answersSinceMs: refusal && (outage?.answersSinceMs ?? now.clockMs),
        lastError: error,
      },
      failedCalls: new Map(failedCalls).set(error.code, (failedCalls.get(error.code) ?? 0) + 1),
      ...(refusal && { refusal }),
    },
    effects: [{ do: 'retry', error }],
    // The message of the first failure states the reason of a refusal.
    events: isNews(error, state)
      ? [{ type: 'request-failed', error, ...endsOf(lease, rules) }]
      : waitingEvents(state, refusal),
  };
}

/** Whether a failure begins an outage, or shows after the start that waiting doesn't bring the first lease. */
function isNews(error: SnowflakeError, { outage, phase }: MachineState): boolean {
  return !outage || (phase === 'acquiring' && !error.retryable && outage.lastError.retryable);
}

// ---- Another worker ID, because the clock stepped back ----

export function answerRollback({ state, event, rules }: On<'clock-rollback'>): Step {
  const mustSwitch = state.mustSwitch || rules.switchesWorkerId;
  return joined(
    { events: [{ type: 'clock-rollback', backwardsMs: event.backwardsMs }] },
    mustSwitch && !state.call ? request(state, 'switch') : { state: { mustSwitch } },
  );
}

export function switchWorkerId({ state, event, now }: On<'granted'>): Step {
  return {
    state: { lease: event.lease, call: 'release' },
    effects: [
      { do: 'adopt', lease: event.lease },
      // The reading is from before the adoption, and so belongs to the old lease.
      { do: 'release', lease: heldLease(state), lastUsedMs: now.lastUsedMs },
    ],
    events: [acquiredEvent(state, event.lease, 'switch')],
  };
}

export const endSwitch = ({ state, now }: Situation): Step => joined(endOutage(state, now), endCall(state));

/** No other worker ID is free. */
export const stay = ({ state }: Situation): Step => request(state, 'stay');

// ---- The stop ----

export function stop({ state: { phase }, rules }: Situation): Step {
  if (phase === 'idle') return shutDown('unused');
  if (phase === 'opening') {
    return shutDown('opening', new StoppedError(`${rules.description} was still opening`));
  }
  return shutDown('open', phase === 'acquiring' ? new StoppedError() : undefined);
}

export function giveUp({ state, event, now, rules }: On<'acquire-timeout'>): Step {
  return state.phase === 'opening'
    ? shutDown('opening', notOpened(rules, event.warning))
    : shutDown('open', notGranted(rules, state, now));
}

export function failStart({ state, event }: On<'store-in-use' | 'open-failed' | 'failed' | 'refused'>): Step {
  if (event.type === 'store-in-use') return shutDown('unused', event.error);
  const unused = event.type === 'failed' ? event.unused : undefined;
  // The start has resolved before, so nobody else learns of the error.
  const events: readonly LeaseEvent[] = state.isInBackground
    ? [{ type: 'request-failed', error: event.error }]
    : [];
  return joined({ state: { unused }, events }, NO_CALL, shutDown('open', event.error));
}

/** The store has extended the window once more. Nothing is issued in it, but the release needs the new fencing token. */
export function noteRenewal({ state: { lease }, event: { fencingToken, untilMs } }: On<'kept'>): Step {
  return lease ? { state: { lease: { ...lease, fencingToken, untilMs } } } : {};
}

/** A copy of this process goes on with the lease, so it is not released. */
export function noteCopy({ state: { lease }, now }: On<'copied'>): Step {
  if (!lease) return {};
  const { workerId } = lease;
  return {
    state: { isCopied: true },
    events: [{ type: 'copied', workerId, lastUsedMs: now.lastUsedMs }],
  };
}

/** A grant that arrives during the stop is never adopted. What it replaces is released here. */
export function leaveUnused({ state, event, now }: On<'granted'>): Step {
  const { lease: old, call } = state;
  const next = { unused: event.lease, lease: undefined };
  if (call !== 'switch' || !old || state.isCopied) return { state: next };
  const effect: Effect = { do: 'release', lease: old, lastUsedMs: now.lastUsedMs };
  return { state: { ...next, call: 'release' }, effects: [effect] };
}

export function releaseLast({ state: { lease, isCopied, unused }, now }: Situation): Step {
  if (unused) return { effects: [{ do: 'release', lease: unused, lastUsedMs: unused.fromMs }] };
  return lease && !isCopied ? { effects: [{ do: 'release', lease, lastUsedMs: now.lastUsedMs }] } : {};
}

/** Closes the generator's limit before anything is released, so that no ID can follow. */
function shutDown(store: StoreUse, error?: SnowflakeError): Step {
  return { effects: [{ do: 'end-issuing' }, { do: 'shut-down', store, error }] };
}

// ---- Parts of steps ----

const NO_CALL: Step = { state: { call: undefined } };

/** Joins the parts of a step. */
function joined(...parts: readonly Step[]): Step {
  return {
    state: Object.assign({}, ...parts.map(({ state }) => state)) as Partial<MachineState>,
    effects: parts.flatMap(({ effects }) => effects ?? []),
    events: parts.flatMap(({ events }) => events ?? []),
  };
}

/** A request shows the lease that it renews. One for another worker ID shows none. */
function request(state: MachineState, purpose: Purpose): Step {
  const renews = (purpose === 'renew' || purpose === 'stay') && !state.isCopied;
  const claim = renews ? state.lease : undefined;
  const mustSwitch = state.mustSwitch && purpose !== 'switch';
  return { state: { call: purpose, mustSwitch }, effects: [{ do: 'request-lease', purpose, claim }] };
}

/** Ends a call. If the clock has stepped back meanwhile, a switch follows. */
function endCall(state: MachineState): Step {
  return state.mustSwitch ? request(state, 'switch') : NO_CALL;
}

function isFarAhead(now: Readings, rules: MachineRules): boolean {
  return rules.switchesWorkerId && now.isFarAhead;
}

/** Ends the outage, if there was one: the store has answered as it should. */
function endOutage({ outage }: MachineState, { clockMs }: Readings): Step {
  if (!outage) return {};
  const { failures, sinceMs, answersSinceMs } = outage;
  const outageMs = msBetween(sinceMs, answersSinceMs ?? clockMs);
  const waitedMs = answersSinceMs === undefined ? {} : { waitedMs: msBetween(answersSinceMs, clockMs) };
  return {
    state: { outage: undefined, refusal: undefined },
    events: [{ type: 'recovered', failures, outageMs, ...waitedMs }],
  };
}

/** 0 if a clock has failed or stepped back. */
const msBetween = (fromMs: number, toMs: number): number => Math.max(0, toMs - fromMs || 0);

/** Reports a refusal, unless the last one had the same reason. */
function waitingEvents(
  { refusal: last }: MachineState,
  refusal: LeaseRefusal | undefined,
): readonly LeaseEvent[] {
  if (!refusal || refusal.reason === last?.reason) return [];
  return [{ type: 'waiting', reason: refusal.reason, waitMs: refusal.waitMs }];
}

/** Until when IDs can be issued if no call succeeds any more. */
function endsOf(lease: HeldLease | undefined, rules: MachineRules) {
  return lease && { clockTimeUntilMs: clockTimeUntilMs(lease.untilMs, rules), untilMs: lease.untilMs };
}

/** The lease of the phases that have one. */
function heldLease(state: MachineState): HeldLease {
  if (!state.lease) throw new Error(`no lease is held while ${state.phase}`);
  return state.lease;
}

function acquiredEvent(
  { lease: previous }: MachineState,
  { workerId, fromMs, untilMs }: HeldLease,
  cause: 'start' | 'lost' | 'copied' | 'switch',
): LeaseEvent {
  return { type: 'acquired', workerId, fromMs, untilMs, cause, previousWorkerId: previous?.workerId };
}

type Rules = Pick<MachineRules, 'acquireTimeoutMs' | 'description'>;

/** Returns the error of a start whose store has not opened. @param warning what the store has said last */
function notOpened(rules: Rules, warning?: string): SnowflakeError {
  const said = warning === undefined ? '' : ` Its last warning: ${warning}`;
  return timedOut(
    rules,
    `${rules.description} did not open. Check the disk, the mount or the host that it waits for.${said}`,
  );
}

/** Returns the error of a start that got no lease from an open store. */
function notGranted(
  rules: Rules,
  { refusal, outage }: Pick<MachineState, 'refusal' | 'outage'>,
  { clockMs }: Pick<Readings, 'clockMs'>,
): SnowflakeError {
  // One lost answer of a busy store doesn't hide that no worker ID was free just before.
  const isRecent = !outage || msBetween(outage.sinceMs, clockMs) <= RECENTLY_MS;
  if (refusal?.reason === 'full' && isRecent) return refusal.error;
  const cause = outage?.lastError ?? refusal?.error;
  return timedOut(rules, cause?.message ?? `${rules.description} did not answer.`, cause);
}

function timedOut(
  { acquireTimeoutMs, description }: Rules,
  reason: string,
  cause?: SnowflakeError,
): SnowflakeError {
  return new AcquireTimeoutError(acquireTimeoutMs, description, reason, cause);
}
