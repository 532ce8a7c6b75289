import { type FaultClass, MINUTE, SECOND, type Stage } from './fault-class.js';
import {
  copies,
  hostClocks,
  partitions,
  pauses,
  restarts,
  slowNetwork,
  stuckCalls,
  stuckClaims,
} from './host-faults.js';
import { badServices } from './service-faults.js';
import {
  crashed,
  failovers,
  fencedInTime,
  fencedInWindow,
  replacedAtOnce,
  servesOn,
  storeClock,
  wipes,
} from './store-faults.js';

/** The wait for an unknown history, then the wait for a worker ID whose process died, then a start. */
const CALM_MS = 4 * MINUTE;
/** A store whose clock was half an hour ahead, and is half an hour behind now, reserved an hour of timestamps that must not be granted again. */
const CALM_AFTER_CLOCK_MS = 60 * MINUTE + CALM_MS;

const PLAIN: readonly FaultClass[] = [
  { name: 'restarts', calmWithinMs: CALM_MS, play: (stage) => restarts(stage, 8 * SECOND) },
  {
    name: 'pauses',
    calmWithinMs: CALM_MS,
    requirements: { faultsForMs: 15 * MINUTE, spareWorkerIds: [0, 2] },
    play: (stage) => pauses(stage),
  },
  { name: 'partitions', calmWithinMs: CALM_MS, play: partitions },
  { name: 'slow-network', calmWithinMs: CALM_MS, play: slowNetwork },
  {
    name: 'stuck-calls',
    calmWithinMs: CALM_MS,
    requirements: { hosts: [3, 5], spareWorkerIds: [-1, 0] },
    play: (stage) => {
      stuckCalls(stage);
      pauses(stage, 3 * MINUTE);
    },
  },
  {
    name: 'stuck-claims',
    calmWithinMs: CALM_MS,
    requirements: {
      hosts: [2, 2],
      spareWorkerIds: [-1, -1],
      maxSkewMs: 10 * SECOND,
      isDense: true,
      faultsForMs: 11 * MINUTE,
    },
    play: stuckClaims,
  },
  {
    name: 'copies',
    calmWithinMs: CALM_MS,
    requirements: { hosts: [3, 5], copies: 2, spareWorkerIds: [4, 6], isDense: true },
    play: (stage) => {
      copies(stage);
      const { random } = stage;
      for (const fault of [pauses, partitions, slowNetwork, stuckCalls]) if (random.chance(0.4)) fault(stage);
    },
  },
  { name: 'host-clocks', calmWithinMs: CALM_MS, play: hostClocks },
  { name: 'store-clock', calmWithinMs: CALM_AFTER_CLOCK_MS, play: storeClock },
  { name: 'wipes', calmWithinMs: CALM_MS, play: wipes },
  {
    name: 'failover',
    calmWithinMs: CALM_MS,
    requirements: { spareWorkerIds: [-2, 1] },
    play: (stage) => failovers(stage, crashed),
  },
  {
    name: 'split-fenced',
    calmWithinMs: CALM_MS,
    requirements: { spareWorkerIds: [-1, 1] },
    play: (stage) => failovers(stage, fencedInTime),
  },
  {
    name: 'split-5-min',
    calmWithinMs: CALM_MS,
    requirements: { minReplicas: [1, 1], faultsForMs: 10 * MINUTE },
    play: (stage) => failovers(stage, servesOn, 500 * SECOND),
  },
  {
    name: 'tight-pool',
    calmWithinMs: CALM_MS,
    requirements: { hosts: [20, 20], spareWorkerIds: [12, 12] },
    play: (stage) => {
      restarts(stage, 10 * SECOND);
      pauses(stage, 3 * MINUTE);
    },
  },
];

/** Several kinds of trouble at once. */
const MIXED: FaultClass = {
  name: 'mixed',
  calmWithinMs: CALM_AFTER_CLOCK_MS,
  requirements: { spareWorkerIds: [-1, 3], minReplicas: [0, 1], faultsForMs: 9 * MINUTE },
  play: (stage) => {
    const { random, scene } = stage;
    const isGuarded = scene.agreement.minReplicas > 0;
    const failover = random.pick([crashed, fencedInTime, isGuarded ? servesOn : crashed]);
    const faults = [
      pauses,
      partitions,
      slowNetwork,
      stuckCalls,
      hostClocks,
      storeClock,
      wipes,
      (on: Stage) => failovers(on, failover),
    ];
    for (const fault of faults) if (random.chance(0.5)) fault(stage);
  },
};

/** For protocols that call the store through services. */
const SERVICES: FaultClass = {
  name: 'services',
  calmWithinMs: CALM_MS,
  requirements: { spareWorkerIds: [-1, 1] },
  play: badServices,
};

/** What the theorem does not cover, to be known all the same. Run by name only. */
const BEYOND_PROMISE: readonly FaultClass[] = [
  {
    name: 'split-at-once',
    calmWithinMs: CALM_MS,
    requirements: { minReplicas: [1, 1], faultsForMs: 10 * MINUTE },
    play: (stage) => failovers(stage, replacedAtOnce, 300 * SECOND),
  },
  {
    name: 'split-window',
    calmWithinMs: CALM_MS,
    requirements: { spareWorkerIds: [-1, 1] },
    play: (stage) => failovers(stage, fencedInWindow, 180 * SECOND),
  },
];

/** Without processes that come and go no worker ID changes hands: some do in every class. */
function withRestarts(fault: FaultClass): FaultClass {
  const hasItsOwn = fault.name === 'restarts' || fault.name === 'stuck-claims';
  if (hasItsOwn) return fault;
  return {
    ...fault,
    play: (stage) => {
      restarts(stage);
      fault.play(stage);
    },
  };
}

/** Every class of faults under which uniqueness is promised. */
export const FAULT_CLASSES: readonly FaultClass[] = [...PLAIN, MIXED].map(withRestarts);

/** @throws Error that names the classes there are */
export function faultClass(name: string): FaultClass {
  const classes = [...FAULT_CLASSES, ...[SERVICES, ...BEYOND_PROMISE].map(withRestarts)];
  const found = classes.find((fault) => fault.name === name);
  if (found) return found;
  throw new Error(`No fault class "${name}"; there are ${classes.map((fault) => fault.name).join(', ')}`);
}
