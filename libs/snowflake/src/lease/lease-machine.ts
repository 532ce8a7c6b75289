import type { LeaseEvent } from './lease-events.js';
import {
  type Effect,
  type EventType,
  type MachineEvent,
  type MachineRules,
  type MachineState,
  type Phase,
  type Readings,
  stateOf,
} from './machine-state.js';
import * as step from './lease-steps.js';

/** One row of the table: what an event does in some phases. */
export interface Transition {
  readonly on: readonly EventType[];
  readonly from: readonly Phase[];
  /** The next phase; undefined where it stays. */
  readonly to: Phase | undefined;
  /** @returns undefined if the row doesn't apply */
  stepFor(situation: step.Situation): step.Step | undefined;
}

const HOLDING: readonly Phase[] = ['active', 'degraded', 'exhausted'];

/**
 * The lease machine. The first row that applies decides. An event without a row changes nothing: a reply that arrives after
 * the stop, a timer that could not be cancelled in time.
 */
export const TRANSITIONS: readonly Transition[] = [
  row('start', ['idle'], 'opening', step.openStore),
  row('store-in-use', ['idle'], 'stopped', step.failStart),
  row('stop', ['idle'], 'stopped', step.stop),

  row('opened', ['opening'], 'acquiring', step.acquire),
  row('open-failed', ['opening'], 'stopping', step.failStart),
  row('acquire-timeout', ['opening', 'acquiring'], 'same', step.leaveToBackground, step.mayEndWithoutLease),
  row('acquire-timeout', ['opening'], 'stopped', step.giveUp),
  row('stop', ['opening'], 'stopped', step.stop),

  row('due', ['acquiring'], 'same', step.acquire, step.isIdle),
  row('granted', ['acquiring'], 'active', step.beginIssuing),
  row('refused', ['acquiring'], 'same', step.waitForGrant, step.mayGrantLater),
  row(['failed', 'refused'], ['acquiring'], 'same', step.acquireLater, step.mayRetry),
  row(['failed', 'refused'], ['acquiring'], 'stopping', step.failStart),
  row('acquire-timeout', ['acquiring'], 'stopping', step.giveUp),
  row('stop', ['acquiring'], 'stopping', step.stop),

  row('due', HOLDING, 'same', step.renew, step.isIdle),
  row('kept', HOLDING, 'active', step.extend),
  row('copied', HOLDING, 'same', step.leaveToCopy),
  row('granted', HOLDING, 'active', step.switchWorkerId, step.isSwitch),
  row('granted', HOLDING, 'active', step.replaceLost),
  row('release-over', HOLDING, 'same', step.endSwitch),
  row('refused', HOLDING, 'same', step.stay, step.isSwitch),
  row(['failed', 'refused'], HOLDING, 'same', step.retryLater),
  row('clock-rollback', HOLDING, 'same', step.answerRollback),
  row('reading', HOLDING, 'exhausted', step.nothing, step.isUsedUp),
  row('reading', HOLDING, 'degraded', step.nothing, step.isInReserve),
  row('reading', HOLDING, 'active', step.nothing),
  row('stop', HOLDING, 'stopping', step.stop),

  row('kept', ['stopping'], 'same', step.noteRenewal),
  row('copied', ['stopping'], 'same', step.noteCopy),
  row('granted', ['stopping'], 'same', step.leaveUnused),
  row('call-over', ['stopping'], 'stopped', step.releaseLast),

  row(['opened', 'open-failed'], ['stopped'], 'same', step.closeStore),
];

/** Returns what follows from an event: the next state, and what to do, in this order. */
export function transition(
  state: MachineState,
  event: MachineEvent,
  now: Readings,
  rules: MachineRules,
): { readonly state: MachineState; readonly effects: readonly Effect[] } {
  for (const { on, from, to, stepFor } of TRANSITIONS) {
    if (!on.includes(event.type) || !from.includes(state.phase)) continue;
    const outcome = stepFor({ state, event, now, rules });
    if (!outcome) continue;
    const phase = to ?? state.phase;
    // Listeners come last: they may call the ID maker, which must have done by then what it reports.
    const effects = [
      ...(outcome.effects ?? []),
      ...emits([...changeOf(state.phase, phase), ...(outcome.events ?? [])]),
    ];
    return { state: { ...state, ...outcome.state, phase }, effects };
  }
  return { state, effects: [] };
}

function changeOf(before: Phase, after: Phase): readonly LeaseEvent[] {
  const [from, to] = [stateOf(before), stateOf(after)];
  return from === to ? [] : [{ type: 'state', from, to }];
}

function emits(events: readonly LeaseEvent[]): readonly Effect[] {
  return events.map((event) => ({ do: 'emit', event }));
}

function row<Type extends EventType>(
  on: Type | readonly Type[],
  from: readonly Phase[],
  to: Phase | 'same',
  then: (situation: step.On<Type>) => step.Step,
  applies: (situation: step.On<Type>) => boolean = () => true,
): Transition {
  return {
    on: [on].flat() as readonly Type[],
    from,
    to: to === 'same' ? undefined : to,
    stepFor: (situation) => {
      // `transition` has compared the types of the events.
      const own = situation as step.On<Type>;
      return applies(own) ? then(own) : undefined;
    },
  };
}
