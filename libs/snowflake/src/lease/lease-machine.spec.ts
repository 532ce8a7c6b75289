import {
  AcquireTimeoutError,
  LayoutMismatchError,
  StoreUnavailableError,
  WorkerIdsExhaustedError,
} from '../core/errors/lease-errors.js';
import { StoppedError } from '../core/errors/issuing-errors.js';
import type { HeldLease } from './lease-answer.js';
import { transition, TRANSITIONS } from './lease-machine.js';
import {
  type Effect,
  INITIAL,
  isStopped,
  type MachineEvent,
  type MachineState,
  type Phase,
  type Readings,
} from './machine-state.js';

const WINDOW_MS = 60_000;
const NOW_MS = 1_000_000;
const RULES = {
  windowMs: WINDOW_MS,
  reserveMs: 10_000,
  acquireTimeoutMs: 80_000,
  waitAtBoot: true,
  switchesWorkerId: true,
  description: 'test store',
};
const READINGS: Readings = {
  clockMs: NOW_MS,
  nowMs: NOW_MS,
  canIssue: true,
  isFarAhead: false,
  lastUsedMs: NOW_MS - 5,
};

const leaseOf = (workerId: number, untilMs = NOW_MS + WINDOW_MS): HeldLease => ({
  workerId,
  fencingToken: `token ${workerId}`,
  fromMs: NOW_MS - 100,
  untilMs,
});
const LEASE = leaseOf(1);
const OTHER = leaseOf(2);
const unreachable = new StoreUnavailableError('is unreachable');
const mismatch = new LayoutMismatchError('test store', 'a', 'b');
const full = new WorkerIdsExhaustedError(8, 5000, 'test store');

const granted = (lease = LEASE): MachineEvent => ({ type: 'granted', lease, storeNowMs: NOW_MS });
const kept: MachineEvent = {
  type: 'kept',
  fencingToken: 'renewed',
  untilMs: NOW_MS + 2 * WINDOW_MS,
  durationMs: 7,
};
const failed: MachineEvent = { type: 'failed', error: unreachable };
const refused: MachineEvent = {
  type: 'refused',
  error: full,
  wait: { reason: 'full', waitMs: 5000, error: full },
};
const rollback: MachineEvent = { type: 'clock-rollback', backwardsMs: 30 };

const state = (phase: Phase, more: Partial<MachineState> = {}): MachineState => ({
  ...INITIAL,
  phase,
  ...more,
});
const holding = (more: Partial<MachineState> = {}): MachineState =>
  state('active', { lease: LEASE, ...more });

/** What follows from an event, in short: the phase, the call in flight, what is done, and what listeners learn. */
function follow(before: MachineState, event: MachineEvent, now: Partial<Readings> = {}, rules = RULES) {
  const { state: after, effects } = transition(before, event, { ...READINGS, ...now }, rules);
  const learned = effects.flatMap((effect) => (effect.do === 'emit' ? [effect.event] : []));
  const done = effects.filter((effect) => effect.do !== 'emit');
  return {
    after,
    done,
    does: done.map((effect) => effect.do),
    learned,
    types: learned.map(({ type }) => type),
  };
}

const effectOf = <Do extends Effect['do']>(
  effects: readonly Effect[],
  name: Do,
): Extract<Effect, { do: Do }> => {
  const found = effects.find((effect): effect is Extract<Effect, { do: Do }> => effect.do === name);
  if (!found) throw new Error(`no effect ${name}`);
  return found;
};

describe('the lease machine at the start [promise: fail-closed]', () => {
  it('the lease machine opens the store, and asks for a lease when the store is open', () => {
    const opening = follow(INITIAL, { type: 'start' });
    expect([opening.after.phase, opening.does]).toEqual(['opening', ['open-store']]);
    expect(opening.learned).toEqual([{ type: 'state', from: 'idle', to: 'acquiring' }]);
    const acquiring = follow(opening.after, { type: 'opened' });
    expect([acquiring.after.phase, acquiring.after.call]).toEqual(['acquiring', 'acquire']);
    expect(acquiring.done).toEqual([{ do: 'request-lease', purpose: 'acquire', claim: undefined }]);
    expect(acquiring.learned).toEqual([]);
  });

  it('the lease machine adopts the first grant before listeners learn of it, and begins to renew', () => {
    const { after, does, learned } = follow(state('acquiring', { call: 'acquire' }), granted());
    expect([after.phase, after.lease, after.call]).toEqual(['active', LEASE, undefined]);
    expect(does).toEqual(['adopt', 'begin-renewals']);
    expect(learned).toEqual([
      { type: 'state', from: 'acquiring', to: 'active' },
      expect.objectContaining({ type: 'acquired', workerId: 1, cause: 'start' }),
    ]);
  });

  it('the lease machine renews at once a first lease that has less than a whole window left', () => {
    const short = leaseOf(1, NOW_MS + WINDOW_MS - 1);
    const { after, done } = follow(state('acquiring', { call: 'acquire' }), granted(short));
    expect(after.call).toBe('renew');
    expect(effectOf(done, 'request-lease')).toMatchObject({ purpose: 'renew', claim: short });
  });

  it('the lease machine waits while a working store refuses, and reports each reason once', () => {
    const first = follow(state('acquiring', { call: 'acquire' }), refused);
    expect([first.after.phase, first.after.call, first.done]).toEqual([
      'acquiring',
      undefined,
      [{ do: 'wait', waitMs: 5000 }],
    ]);
    expect(first.types).toEqual(['waiting']);
    const again = follow(follow(first.after, { type: 'due' }).after, refused);
    expect([again.does, again.types]).toEqual([['wait'], []]);
  });

  it('the lease machine tries again after a failure that can pass, and counts it', () => {
    const { after, does, types } = follow(state('acquiring', { call: 'acquire' }), failed);
    expect([after.phase, after.call, does, types]).toEqual([
      'acquiring',
      undefined,
      ['retry'],
      ['request-failed'],
    ]);
    expect(after.outage).toEqual({ failures: 1, sinceMs: NOW_MS, lastError: unreachable });
    expect([...after.failedCalls]).toEqual([['SNOWFLAKE_STORE_UNAVAILABLE', 1]]);
  });

  it.each<[string, MachineState, MachineEvent, Partial<Effect>]>([
    [
      'that an operator must end',
      state('acquiring', { call: 'acquire' }),
      { type: 'refused', error: mismatch },
      { error: mismatch },
    ],
    [
      'of the store to open',
      state('opening'),
      { type: 'open-failed', error: unreachable },
      { error: unreachable },
    ],
  ])(
    'the lease machine fails the start and closes the store after a failure %s',
    (_, before, event, expected) => {
      const { after, does, done } = follow(before, event);
      expect([after.phase, does]).toEqual(['stopping', ['end-issuing', 'shut-down']]);
      expect(effectOf(done, 'shut-down')).toMatchObject({ store: 'open', ...expected });
    },
  );

  it('the lease machine releases at the stop a grant that could not be used', () => {
    const event: MachineEvent = { type: 'failed', error: mismatch, unused: OTHER };
    const { after } = follow(state('acquiring', { call: 'acquire' }), event);
    const { after: end, done } = follow(after, { type: 'call-over' });
    expect(end.phase).toBe('stopped');
    expect(done).toEqual([{ do: 'release', lease: OTHER, lastUsedMs: OTHER.fromMs }]);
  });

  it('the lease machine leaves a store alone that another ID maker uses', () => {
    const { after, done } = follow(INITIAL, { type: 'store-in-use', error: mismatch });
    expect(after.phase).toBe('stopped');
    expect(effectOf(done, 'shut-down')).toMatchObject({ store: 'unused', error: mismatch });
  });

  it.each<[string, number, unknown]>([
    ['all worker IDs, if a busy store has lost only the last answer', 2000, WorkerIdsExhaustedError],
    ['an unreachable store, if it has not answered for long', 60_000, AcquireTimeoutError],
  ])('a start that was refused and gives up names %s', (_, afterMs, error) => {
    const retried = (before: MachineState): MachineState => follow(before, { type: 'due' }).after;
    const again = retried(follow(state('acquiring'), refused).after);
    const unanswered = retried(follow(again, failed).after);
    const { done } = follow(unanswered, { type: 'acquire-timeout' }, { clockMs: NOW_MS + afterMs });
    expect(effectOf(done, 'shut-down').error).toBeInstanceOf(error);
  });

  it.each<[string, MachineState, MachineEvent, Phase, string, unknown]>([
    [
      'while the store opens',
      state('opening'),
      { type: 'acquire-timeout', warning: 'no mount' },
      'stopped',
      'opening',
      AcquireTimeoutError,
    ],
    [
      'while no lease is granted',
      state('acquiring', { call: 'acquire' }),
      { type: 'acquire-timeout' },
      'stopping',
      'open',
      AcquireTimeoutError,
    ],
    [
      'while all worker IDs are held',
      follow(state('acquiring'), refused).after,
      { type: 'acquire-timeout' },
      'stopping',
      'open',
      WorkerIdsExhaustedError,
    ],
    [
      'by a stop while the store opens',
      state('opening'),
      { type: 'stop' },
      'stopped',
      'opening',
      StoppedError,
    ],
    ['by a stop while it acquires', state('acquiring'), { type: 'stop' }, 'stopping', 'open', StoppedError],
  ])('the lease machine ends a start %s', (_, before, event, phase, store, error) => {
    const { after, done } = follow(before, event);
    expect(after.phase).toBe(phase);
    expect(effectOf(done, 'shut-down')).toEqual({
      do: 'shut-down',
      store,
      error: expect.any(error as typeof Error),
    });
  });
});

describe('the lease machine while it holds a lease [promise: fail-closed, unique]', () => {
  it('the lease machine shows the lease when it renews, and makes one call at a time', () => {
    const first = follow(holding(), { type: 'due' });
    expect(first.done).toEqual([{ do: 'request-lease', purpose: 'renew', claim: LEASE }]);
    expect(follow(first.after, { type: 'due' }).done).toEqual([]);
  });

  it('the lease machine moves the limit to the end that the store has granted, and not elsewhere', () => {
    const { after, done, types } = follow(holding({ call: 'renew' }), kept);
    expect(done).toEqual([{ do: 'extend', untilMs: NOW_MS + 2 * WINDOW_MS }]);
    expect(after.lease).toEqual({ ...LEASE, fencingToken: 'renewed', untilMs: NOW_MS + 2 * WINDOW_MS });
    expect(types).toEqual(['renewed']);
  });

  it.each<[Phase, Partial<Readings>]>([
    ['active', {}],
    ['degraded', { nowMs: LEASE.untilMs - RULES.reserveMs + 1 }],
    ['exhausted', { canIssue: false }],
    ['exhausted', { canIssue: false, nowMs: Number.NaN }],
    ['active', { nowMs: Number.NaN }],
  ])('the lease machine is %s by what the generator and the clock read: %o', (phase, now) => {
    for (const before of ['active', 'degraded', 'exhausted'] as const) {
      const { after, done, learned } = follow(holding({ phase: before }), { type: 'reading' }, now);
      expect([after.phase, done]).toEqual([phase, []]);
      expect(learned).toEqual(before === phase ? [] : [{ type: 'state', from: before, to: phase }]);
    }
  });

  it('the lease machine reports an outage once, and its end', () => {
    const first = follow(holding({ call: 'renew' }), failed);
    const second = follow(follow(first.after, { type: 'due' }).after, failed, { clockMs: NOW_MS + 500 });
    expect([first.types, second.types]).toEqual([['request-failed'], []]);
    expect(first.learned).toContainEqual({
      type: 'request-failed',
      error: unreachable,
      clockTimeUntilMs: LEASE.untilMs - RULES.reserveMs,
      untilMs: LEASE.untilMs,
    });
    const third = follow(follow(second.after, { type: 'due' }).after, kept, { clockMs: NOW_MS + 900 });
    expect(third.learned).toContainEqual({ type: 'recovered', failures: 2, outageMs: 900 });
    expect(third.after.outage).toBeUndefined();
    expect([...third.after.failedCalls.values()]).toEqual([2]);
  });

  it('the lease machine reports once for which reason a store that answers again grants nothing', () => {
    const first = follow(holding({ call: 'renew' }), failed);
    const second = follow(follow(first.after, { type: 'due' }).after, refused);
    expect([second.does, second.learned]).toEqual([
      ['retry'],
      [{ type: 'waiting', reason: 'full', waitMs: 5000 }],
    ]);
    const third = follow(follow(second.after, { type: 'due' }).after, refused);
    expect(third.types).toEqual([]);
    const fourth = follow(follow(third.after, { type: 'due' }).after, granted(OTHER));
    expect([fourth.types, fourth.after.refusal]).toEqual([['lost', 'acquired', 'recovered'], undefined]);
  });

  it('the lease machine counts no wait for a lease as a part of the outage before it', () => {
    const steps: [MachineEvent, number][] = [
      [failed, 0],
      [failed, 500],
      [refused, 900],
      [failed, 1000],
      [refused, 1500],
      [refused, 2500],
    ];
    let before = holding({ call: 'renew' });
    for (const [event, afterMs] of steps)
      before = follow(follow(before, event, { clockMs: NOW_MS + afterMs }).after, { type: 'due' }).after;
    const { learned } = follow(before, granted(OTHER), { clockMs: NOW_MS + 61_500 });
    expect(learned).toContainEqual({ type: 'recovered', failures: 3, outageMs: 1500, waitedMs: 60_000 });
  });

  it('the lease machine does not report apart a refusal that begins an outage', () => {
    const first = follow(holding({ call: 'renew' }), refused);
    const second = follow(follow(first.after, { type: 'due' }).after, refused);
    expect([first.types, second.types]).toEqual([['request-failed'], []]);
  });

  it('the lease machine adopts another worker ID when its own is lost', () => {
    const { after, done, types } = follow(holding({ call: 'renew' }), granted(OTHER));
    expect([after.lease, done]).toEqual([OTHER, [{ do: 'adopt', lease: OTHER }]]);
    expect(types).toEqual(['lost', 'acquired']);
  });

  it('the lease machine issues nothing more under a lease that a copy of the process has, and acquires another', () => {
    const left = follow(holding({ call: 'renew' }), { type: 'copied' }, { lastUsedMs: NOW_MS + 3 });
    expect(left.done).toEqual([
      { do: 'pause-issuing' },
      { do: 'request-lease', purpose: 'acquire', claim: undefined },
    ]);
    expect(left.learned).toEqual([{ type: 'copied', workerId: 1, lastUsedMs: NOW_MS + 3 }]);
    const later = follow(follow(left.after, failed).after, { type: 'due' });
    expect(later.done).toEqual([{ do: 'request-lease', purpose: 'renew', claim: undefined }]);
    const { after, does, learned } = follow(later.after, granted(OTHER));
    expect([after.lease, after.isCopied, does]).toEqual([OTHER, false, ['adopt']]);
    expect(learned).toContainEqual(
      expect.objectContaining({ type: 'acquired', cause: 'copied', previousWorkerId: 1, workerId: 2 }),
    );
    expect(learned).not.toContainEqual(expect.objectContaining({ type: 'lost' }));
  });

  it('the lease machine does not release at the stop what a copy of the process has', () => {
    const { after, learned } = follow(state('stopping', { lease: LEASE, call: 'renew' }), { type: 'copied' });
    expect(learned).toContainEqual(expect.objectContaining({ type: 'copied', workerId: 1 }));
    expect(follow(after, { type: 'call-over' }).done).toEqual([]);
  });

  it('the lease machine releases at the stop with the fencing token of the last renewal', () => {
    const { after } = follow(state('stopping', { lease: LEASE, call: 'renew' }), kept);
    const { lease } = effectOf(follow(after, { type: 'call-over' }).done, 'release');
    expect(lease).toMatchObject({ workerId: 1, fencingToken: 'renewed' });
  });

  it('the lease machine takes another worker ID after a clock rollback, and releases the old one with its own last timestamp', () => {
    const asked = follow(holding(), rollback);
    expect([asked.done, asked.types]).toEqual([
      [{ do: 'request-lease', purpose: 'switch', claim: undefined }],
      ['clock-rollback'],
    ]);
    const switched = follow(asked.after, granted(OTHER), { lastUsedMs: NOW_MS + 3 });
    expect(switched.done).toEqual([
      { do: 'adopt', lease: OTHER },
      { do: 'release', lease: LEASE, lastUsedMs: NOW_MS + 3 },
    ]);
    expect(follow(switched.after, { type: 'due' }).done).toEqual([]);
    expect(follow(switched.after, { type: 'release-over' }).after.call).toBeUndefined();
  });

  it('the lease machine renews the old worker ID if no other one is free, and does not ask again', () => {
    const stays = follow(holding({ call: 'switch' }), refused);
    expect(stays.done).toEqual([{ do: 'request-lease', purpose: 'stay', claim: LEASE }]);
    const { after, does } = follow(stays.after, kept, { isFarAhead: true });
    expect([after.call, after.mustSwitch, does]).toEqual([undefined, false, ['extend']]);
  });

  it.each(['switch', 'stay'] as const)(
    'the lease machine tries to switch again when the call to %s has failed',
    (call) => {
      const { after } = follow(holding({ call }), failed);
      expect(effectOf(follow(after, { type: 'due' }).done, 'request-lease').purpose).toBe('switch');
    },
  );

  it('the lease machine switches after the call in flight if the clock steps back meanwhile', () => {
    const during = follow(holding({ call: 'renew' }), rollback);
    expect(during.done).toEqual([]);
    expect(effectOf(follow(during.after, kept).done, 'request-lease').purpose).toBe('switch');
  });

  it('the lease machine switches after a failed call if the clock steps back during the call', () => {
    const { after } = follow(follow(holding({ call: 'renew' }), rollback).after, failed);
    expect(effectOf(follow(after, { type: 'due' }).done, 'request-lease').purpose).toBe('switch');
  });

  it('the lease machine switches if timestamps run far ahead of the clock', () => {
    expect(
      effectOf(follow(holding(), { type: 'due' }, { isFarAhead: true }).done, 'request-lease').purpose,
    ).toBe('switch');
    const renewed = follow(holding({ call: 'renew' }), kept, { isFarAhead: true });
    expect(renewed.does).toEqual(['extend', 'request-lease']);
  });

  it('the lease machine keeps its worker ID after a clock rollback under the other policies', () => {
    const rules = { ...RULES, switchesWorkerId: false };
    const { state: after, effects } = transition(
      holding(),
      rollback,
      { ...READINGS, isFarAhead: true },
      rules,
    );
    expect([after.mustSwitch, effects.map((effect) => effect.do)]).toEqual([false, ['emit']]);
    const { effects: later } = transition(after, { type: 'due' }, { ...READINGS, isFarAhead: true }, rules);
    expect(effectOf(later, 'request-lease').purpose).toBe('renew');
  });
});

describe('the lease machine at the stop [promise: fail-closed]', () => {
  it('the lease machine closes the limit first, and releases the lease when the call in flight is over', () => {
    const stopping = follow(holding({ call: 'renew' }), { type: 'stop' });
    expect([stopping.after.phase, stopping.does]).toEqual(['stopping', ['end-issuing', 'shut-down']]);
    expect(stopping.learned).toEqual([{ type: 'state', from: 'active', to: 'stopped' }]);
    const stopped = follow(stopping.after, { type: 'call-over' });
    expect(stopped.after.phase).toBe('stopped');
    expect(stopped.done).toEqual([{ do: 'release', lease: LEASE, lastUsedMs: READINGS.lastUsedMs }]);
  });

  it.each<[string, Partial<MachineState>, readonly Effect[]]>([
    ['the first one', { call: 'acquire' }, []],
    ['for a lost worker ID', { call: 'renew', lease: LEASE }, []],
    [
      'for a switch, whose old worker ID is released as well',
      { call: 'switch', lease: LEASE },
      [{ do: 'release', lease: LEASE, lastUsedMs: READINGS.lastUsedMs }],
    ],
  ])(
    'the lease machine adopts no grant that arrives meanwhile, and releases it: %s',
    (_, before, expected) => {
      const { after, done } = follow(state('stopping', before), granted(OTHER));
      expect(done).toEqual(expected);
      expect(follow(after, { type: 'call-over' }).done).toEqual([
        { do: 'release', lease: OTHER, lastUsedMs: OTHER.fromMs },
      ]);
    },
  );

  it('the lease machine remembers the end of a renewal that arrives meanwhile, but moves no limit to it', () => {
    const { after, done } = follow(state('stopping', { call: 'renew', lease: LEASE }), kept);
    expect([after.lease?.untilMs, done]).toEqual([NOW_MS + 2 * WINDOW_MS, []]);
  });

  it.each<MachineEvent>([{ type: 'opened' }, { type: 'open-failed', error: unreachable }])(
    'the lease machine closes a store that was still opening: %o',
    (event) => {
      expect(follow(state('stopped'), event).does).toEqual(['close-store']);
    },
  );

  it('the lease machine stops before it has started, and starts no more', () => {
    const { after, done } = follow(INITIAL, { type: 'stop' });
    expect(effectOf(done, 'shut-down').store).toBe('unused');
    expect(follow(after, { type: 'start' })).toMatchObject({ after, done: [], learned: [] });
  });
});

describe('a start that does not wait for the first lease [promise: fail-closed]', () => {
  const rules = { ...RULES, waitAtBoot: false };
  const acquiring = state('acquiring', { call: 'acquire' });
  const inBackground = state('acquiring', { call: 'acquire', isInBackground: true });
  const invalid: MachineEvent = { type: 'failed', error: mismatch };

  it.each<[string, MachineState, MachineEvent, string[]]>([
    ['a refusal', acquiring, refused, ['wait', 'end-start']],
    ['a failure that can pass', acquiring, failed, ['retry', 'end-start']],
    ['no answer', acquiring, { type: 'acquire-timeout' }, ['end-start']],
    ['no open store', state('opening'), { type: 'acquire-timeout' }, ['end-start']],
  ])('is over after %s, and goes on in the background', (_, before, event, does) => {
    const seen = follow(before, event, {}, rules);
    expect([seen.after.phase, seen.after.isInBackground, seen.does]).toEqual([before.phase, true, does]);
    // Once only.
    expect(follow(seen.after, event, {}, rules).does).not.toContain('end-start');
  });

  it('fails if the first answer is one that waiting does not mend', () => {
    const { after, done } = follow(acquiring, invalid, {}, rules);
    expect(after.phase).toBe('stopping');
    expect(effectOf(done, 'shut-down').error).toBe(mismatch);
  });

  it('goes on after such an answer in the background, and reports it once', () => {
    const first = follow(inBackground, failed, {}, rules);
    const second = follow({ ...first.after, call: 'acquire' }, invalid, {}, rules);
    const third = follow({ ...second.after, call: 'acquire' }, invalid, {}, rules);
    expect([first, second, third].map(({ after, does, types }) => [after.phase, does, types])).toEqual([
      ['acquiring', ['retry'], ['request-failed']],
      ['acquiring', ['retry'], ['request-failed']],
      ['acquiring', ['retry'], []],
    ]);
  });

  it("reports a store that can't be opened in the background, which ends the maker", () => {
    const opening = state('opening', { isInBackground: true });
    const { after, types } = follow(opening, { type: 'open-failed', error: mismatch }, {}, rules);
    expect([after.phase, types]).toEqual(['stopping', ['state', 'request-failed']]);
  });

  it('releases at the stop a grant that it could not use', () => {
    const unusable: MachineEvent = { type: 'failed', error: mismatch, unused: LEASE };
    const { after } = follow(inBackground, unusable, {}, rules);
    const stopping = follow(after, { type: 'stop' }, {}, rules).after;
    expect(effectOf(follow(stopping, { type: 'call-over' }, {}, rules).done, 'release').lease).toBe(LEASE);
  });
});

describe('every state that the lease machine can reach', () => {
  const EVENTS: readonly MachineEvent[] = [
    { type: 'start' },
    { type: 'store-in-use', error: mismatch },
    { type: 'opened' },
    { type: 'open-failed', error: unreachable },
    { type: 'acquire-timeout' },
    { type: 'due' },
    granted(),
    granted(leaseOf(2, NOW_MS + 5)),
    kept,
    { type: 'copied' },
    refused,
    { type: 'refused', error: mismatch },
    failed,
    { type: 'failed', error: mismatch, unused: OTHER },
    { type: 'release-over' },
    rollback,
    { type: 'reading' },
    { type: 'stop' },
    { type: 'call-over' },
  ];
  const LOOKS = [{}, { canIssue: false }, { nowMs: NOW_MS + WINDOW_MS }, { isFarAhead: true }];

  /** Whether the keeper can report the event in this state: a reply belongs to a call. */
  function isPossible({ call, phase, isCopied }: MachineState, { type }: MachineEvent): boolean {
    if (type === 'start' || type === 'store-in-use') return phase === 'idle';
    if (type === 'release-over') return call === 'release';
    if (type === 'kept' || type === 'copied') return (call === 'renew' || call === 'stay') && !isCopied;
    const isAnswer = type === 'granted' || type === 'refused' || type === 'failed';
    return !isAnswer || (call !== undefined && call !== 'release');
  }

  interface Taken {
    readonly before: MachineState;
    readonly event: MachineEvent;
    readonly seen: ReturnType<typeof follow>;
  }

  /** Takes every possible event in every state, from the first one on. Counts don't tell states apart. */
  function explore(rules: typeof RULES): Taken[] {
    const taken: Taken[] = [];
    const known = new Set<string>();
    const open = [INITIAL];
    for (let before = open.pop(); before; before = open.pop()) {
      const { phase, call, lease, isCopied, unused, mustSwitch, outage, refusal } = before;
      const key = [
        phase,
        call,
        lease?.workerId,
        isCopied,
        unused?.workerId,
        mustSwitch,
        !!outage,
        !!refusal,
        before.isInBackground,
      ].join(' ');
      if (known.has(key)) continue;
      known.add(key);
      for (const event of EVENTS) {
        for (const now of isPossible(before, event) ? LOOKS : []) {
          const seen = follow(before, event, now, rules);
          taken.push({ before, event, seen });
          open.push(seen.after);
        }
      }
    }
    return taken;
  }

  const taken = [...explore(RULES), ...explore({ ...RULES, waitAtBoot: false })];

  const HOLDING: readonly Phase[] = ['active', 'degraded', 'exhausted'];
  const CALLS: readonly Effect['do'][] = ['request-lease', 'release'];

  it('the lease machine never leaves the stop, and moves no limit and asks for nothing there', () => {
    const atStop = taken.filter(({ before }) => isStopped(before.phase));
    expect(atStop.filter(({ seen }) => !isStopped(seen.after.phase))).toEqual([]);
    expect(
      atStop.filter(({ before, seen }) => before.phase === 'stopped' && seen.after.phase !== 'stopped'),
    ).toEqual([]);
    expect(new Set(atStop.flatMap(({ seen }) => seen.does))).toEqual(new Set(['release', 'close-store']));
  });

  it('the lease machine closes the limit before anything else at each way into the stop', () => {
    const ways = taken.filter(({ before, seen }) => !isStopped(before.phase) && isStopped(seen.after.phase));
    expect(new Set(ways.map(({ before }) => before.phase)).size).toBe(6);
    expect(new Set(ways.map(({ seen }) => seen.does.join(' ')))).toEqual(new Set(['end-issuing shut-down']));
  });

  it('the lease machine moves the limit for an answer of the store alone, and to its end', () => {
    const wrong = taken.filter(({ event, seen }) =>
      seen.done.some(
        (effect) =>
          (effect.do === 'adopt' && !(event.type === 'granted' && event.lease === effect.lease)) ||
          (effect.do === 'extend' && !(event.type === 'kept' && event.untilMs === effect.untilMs)),
      ),
    );
    expect(wrong).toEqual([]);
  });

  it('the lease machine neither shows nor releases a lease that a copy of the process has', () => {
    const wrong = taken.filter(({ before, event, seen }) => {
      const isCopied = before.isCopied || event.type === 'copied';
      return (
        isCopied &&
        seen.done.some(
          (effect) =>
            (effect.do === 'request-lease' && effect.claim === before.lease && effect.claim) ||
            (effect.do === 'release' && effect.lease === before.lease),
        )
      );
    });
    expect(wrong).toEqual([]);
  });

  it('the lease machine makes one call at a time', () => {
    const wrong = taken.filter(({ before, event, seen }) => {
      const calls = seen.does.filter((each) => CALLS.includes(each)).length;
      const endsCall = [
        'granted',
        'kept',
        'copied',
        'refused',
        'failed',
        'release-over',
        'call-over',
      ].includes(event.type);
      return calls > 1 || (calls === 1 && before.call !== undefined && !endsCall);
    });
    expect(wrong).toEqual([]);
  });

  it('the lease machine holds a lease wherever it issues', () => {
    expect(taken.filter(({ seen }) => HOLDING.includes(seen.after.phase) && !seen.after.lease)).toEqual([]);
  });

  it('the lease machine issues under each grant, or keeps it to release it, until it has stopped', () => {
    const grants = taken.filter(
      ({ before, event }) => event.type === 'granted' && before.phase !== 'stopped',
    );
    expect(grants.filter(({ seen }) => !seen.does.includes('adopt') && !seen.after.unused)).toEqual([]);
  });

  it('the lease machine takes each row of the table', () => {
    const ways = new Set(
      taken.map(({ before, event, seen }) => `${before.phase} ${event.type} ${seen.after.phase}`),
    );
    const rows = TRANSITIONS.flatMap(({ on, from, to }) =>
      from.flatMap((phase) => on.map((type) => `${phase} ${type} ${to ?? phase}`)),
    );
    expect(rows.filter((row) => !ways.has(row))).toEqual([]);
  });
});

describe('an event that has no row in a phase', () => {
  it.each(['idle', 'opening', 'acquiring', 'stopping', 'stopped'] as const)(
    'the lease machine changes nothing and does nothing: a renewal in the phase %s',
    (phase) => {
      expect(follow(state(phase), kept)).toMatchObject({ after: state(phase), done: [], learned: [] });
    },
  );
});
