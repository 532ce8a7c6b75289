import type { Clock } from '../../core/clock/clock.js';
import { systemClock } from '../../core/clock/system-clock.js';
import { redact } from '../../core/errors/show-value.js';
import {
  checkedBy,
  checkedOptions,
  clockWith,
  fitting,
  type OptionRules,
  text,
  wholeNumber,
} from '../../core/options/option-rule.js';
import { InvalidOptionError } from '../../core/errors/input-errors.js';
import type { LeaseStore } from '../../lease/lease-store.js';
import { fixedLeaseStore } from './fixed-lease-store.js';
import { type PodEnvironment, podEnvironment, statefulOrdinal } from './stateful-ordinal.js';

/** Options of {@link staticLeaseStore}. */
export interface StaticLeaseStoreOptions {
  /**
   * The worker ID of this process. Nothing checks that no other process of the ID space uses it at the same time.
   * Bounds: 0 to the largest value of the worker field, 1,023 by default.
   */
  readonly workerId: number;
  /**
   * The clock that decides when the grant begins.
   *
   * @defaultValue the system clock
   */
  readonly clock?: Pick<Clock, 'now'>;
}

/** Options of {@link environmentLeaseStore}. */
export interface EnvironmentLeaseStoreOptions {
  /**
   * Name of the environment variable that holds the worker ID.
   * Bounds: letters, digits and `_`, no digit first.
   *
   * @defaultValue `'SNOWFLAKE_WORKER_ID'`
   */
  readonly variable?: string;
  /**
   * The object that holds the variable.
   *
   * @defaultValue `process.env`
   */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * The clock that decides when the grant begins.
   *
   * @defaultValue the system clock
   */
  readonly clock?: Pick<Clock, 'now'>;
}

/** Options of {@link kubernetesLeaseStore}. */
export interface KubernetesLeaseStoreOptions {
  /**
   * Name of the pod, if it isn't the host name.
   * Bounds: `<name>-<ordinal>`; excludes `podIndexVariable`.
   *
   * @defaultValue the host name
   */
  readonly hostname?: string;
  /**
   * Name of an environment variable with a label of the pod, through the downward API.
   * Bounds: excludes `hostname`.
   *
   * The label is `apps.kubernetes.io/pod-index` (Kubernetes 1.28 or later) or `statefulset.kubernetes.io/pod-name`, which only a
   * StatefulSet sets.
   *
   * @defaultValue none
   */
  readonly podIndexVariable?: string;
  /**
   * The first ordinal: `spec.ordinals.start` of the StatefulSet.
   * Bounds: 0 to 2,147,483,647.
   *
   * @defaultValue `0`
   */
  readonly firstOrdinal?: number;
  /**
   * Worker ID of the first ordinal.
   * Bounds: 0 to 2,147,483,647.
   *
   * Set it so that the worker IDs of StatefulSets that share an ID space don't overlap, even across clusters.
   *
   * @defaultValue `0`
   */
  readonly offset?: number;
  /**
   * The clock that decides when the grant begins.
   *
   * @defaultValue the system clock
   */
  readonly clock?: Pick<Clock, 'now'>;
}

const STATIC_REMEDY =
  'Give each process its own worker ID, a whole number from 0 that the bit layout can hold.';
const DEFAULT_VARIABLE = 'SNOWFLAKE_WORKER_ID';
/** Allows one spelling per number, so that two different values are two worker IDs. */
const DECIMAL = /^(0|[1-9]\d{0,9})$/;
/** Values that errors may show: a number in another form, or a short name. */
const LIKE_A_NUMBER = /^([-+.,\d\s]{0,30}|.{0,5})$/;
const FORCE_DELETED =
  'Kubernetes runs one pod per ordinal, so the worker ID is unique as long as no pod is force-deleted while it runs. Give ' +
  'each StatefulSet of the ID space a different offset. A restart while the clock is behind the last ID causes duplicates.';

const CLOCK = clockWith('now').or(systemClock);
const NAME = text(/./s, 'is not a name', 'Use a non-empty string.').optional();
const ORDINAL = wholeNumber(0, 2 ** 31 - 1).or(0);

const STATIC_OPTIONS = {
  workerId: checkedBy(requireWorkerId),
  clock: CLOCK,
} satisfies OptionRules<StaticLeaseStoreOptions>;

export const ENVIRONMENT_OPTIONS = {
  variable: text(
    /^[A-Za-z_]\w*$/,
    'is not the name of an environment variable',
    `Use letters, digits and _, e.g. ${DEFAULT_VARIABLE}.`,
  ).or(DEFAULT_VARIABLE),
  env: fitting(isObject, 'is not an object of variables', 'Omit it to read process.env.').optional(),
  clock: CLOCK,
} satisfies OptionRules<EnvironmentLeaseStoreOptions>;

export const KUBERNETES_OPTIONS = {
  hostname: NAME,
  podIndexVariable: NAME,
  firstOrdinal: ORDINAL,
  offset: ORDINAL,
  clock: CLOCK,
} satisfies OptionRules<KubernetesLeaseStoreOptions>;

/**
 * Uses a fixed worker ID without any server: one grant that never ends. Give each process its own `workerId`.
 *
 * Within a process, the ID makers of one layout, epoch and datacenter ID have the worker ID one after the other, and each begins
 * after the last timestamp used, whatever the clock shows. A second maker at the same time is refused.
 *
 * The store can't detect other processes, worker threads and copies of the library, such as those that Jest loads for each test
 * file: two with the same `workerId` generate duplicates. So does a process that restarts while the clock is behind its last ID.
 *
 * @throws InvalidOptionError if an option is unknown or `workerId` is not a whole number from 0; `lease()` rejects with it
 * if the bit layout cannot hold `workerId`
 * @example
 * ```ts
 * SnowflakeModule.forRoot({ store: staticLeaseStore({ workerId: 1 }) }) // for a single process: a second one generates duplicates
 * ```
 */
export function staticLeaseStore(options: StaticLeaseStoreOptions): LeaseStore {
  const { workerId, clock } = checkedOptions('staticLeaseStore', options, STATIC_OPTIONS);
  return fixedLeaseStore({
    workerId,
    clock,
    description: `static worker ID ${workerId}`,
    origin: { option: 'workerId', value: workerId, remedy: STATIC_REMEDY },
  });
}

/**
 * Takes a fixed worker ID from an environment variable, without any server. The variable is read when the store is made, not
 * when this module is loaded.
 *
 * The store can't detect other processes: two processes with the same value generate duplicates. So does a process that restarts
 * while the clock is behind its last ID. An event and a line in the log warn of this at startup.
 *
 * @throws InvalidOptionError if the variable is missing, empty or not a whole number from 0 in plain digits; `lease()`
 * rejects with it if the bit layout cannot hold the worker ID
 * @example
 * ```ts
 * SnowflakeModule.forRootAsync({
 *   useFactory: () => ({ store: environmentLeaseStore() }), // reads SNOWFLAKE_WORKER_ID, which differs in each process
 * })
 * ```
 */
export function environmentLeaseStore(options: EnvironmentLeaseStoreOptions = {}): LeaseStore {
  const checked = checkedOptions('environmentLeaseStore', options, ENVIRONMENT_OPTIONS);
  const { variable, env = process.env, clock } = checked;
  const value = env[variable];
  const remedy = `Set ${variable} to a whole number from 0 that the bit layout can hold, different for each process.`;
  if (value === undefined || !DECIMAL.test(value)) {
    throw new InvalidOptionError(variable, shown(value), problemOf(value), remedy);
  }
  return fixedLeaseStore({
    workerId: Number(value),
    clock,
    description: `environment variable ${variable}`,
    warning:
      `Nothing checks that only this process uses ${variable}=${value}: two processes with the same value generate ` +
      `duplicates, and so does a restart while the clock is behind the last ID.`,
    origin: { option: variable, value, remedy },
  });
}

/**
 * Uses the ordinal of a StatefulSet's pod as a fixed worker ID, without any server: `web-3` has ordinal 3 and worker ID
 * `offset + ordinal - firstOrdinal`.
 *
 * The store relies on Kubernetes to run at most one pod per ordinal. A pod that is force-deleted (`--force --grace-period=0`, or
 * by hand while its node is unreachable) may keep running next to its successor. Kubernetes does not coordinate ordinals across
 * StatefulSets, namespaces or clusters: with `offset`, give those of one ID space ranges that don't overlap. As with every fixed
 * worker ID, a pod that starts while its clock is behind the last ID of its predecessor generates duplicates. An event and a line in
 * the log warn of this at startup.
 *
 * @throws InvalidOptionError outside Kubernetes, in a pod whose name is not that of a StatefulSet's pod, with the host name
 * of the node (`hostNetwork`), and in an Indexed Job; `lease()` rejects with it if the bit layout cannot hold the
 * worker ID
 * @example
 * ```ts
 * SnowflakeModule.forRootAsync({
 *   useFactory: () => ({ store: kubernetesLeaseStore({ offset: 64 }) }), // pod web-3 gets worker ID 67
 * })
 * ```
 */
export function kubernetesLeaseStore(options: KubernetesLeaseStoreOptions = {}): LeaseStore {
  return kubernetesLeaseStoreIn(options, podEnvironment());
}

/** Makes a {@link kubernetesLeaseStore} for the pod that the caller describes. */
export function kubernetesLeaseStoreIn(
  options: KubernetesLeaseStoreOptions,
  pod: PodEnvironment,
): LeaseStore {
  const checked = checkedOptions('kubernetesLeaseStore', options, KUBERNETES_OPTIONS);
  const { hostname, podIndexVariable, firstOrdinal, offset, clock } = checked;
  if (hostname !== undefined && podIndexVariable !== undefined) {
    throw new InvalidOptionError(
      'kubernetesLeaseStore.hostname',
      hostname,
      'conflicts with podIndexVariable: both set the source of the ordinal',
      'Set only one of them.',
    );
  }
  const { ordinal, description, option, value } = statefulOrdinal({ hostname, podIndexVariable }, pod);
  if (ordinal < firstOrdinal) {
    throw new InvalidOptionError(
      'kubernetesLeaseStore.firstOrdinal',
      firstOrdinal,
      `is above the ordinal of this pod, ${ordinal}`,
      'Use the value of spec.ordinals.start, or omit it.',
    );
  }
  const workerId = offset + ordinal - firstOrdinal;
  return fixedLeaseStore({
    workerId,
    clock,
    description,
    warning: FORCE_DELETED,
    origin: {
      option,
      value,
      derivation: `results in worker ID ${workerId} (offset ${offset})`,
      remedy: 'Run fewer replicas, use a smaller offset, or start a new ID space with more worker bits.',
    },
  });
}

function requireWorkerId(_: string, workerId: unknown): number {
  if (typeof workerId === 'number' && Number.isSafeInteger(workerId) && workerId >= 0) return workerId;
  throw new InvalidOptionError('workerId', workerId, 'must be a whole number from 0', STATIC_REMEDY);
}

function isObject(value: unknown): value is NodeJS.ProcessEnv {
  return typeof value === 'object' && value !== null;
}

/** Hides other values, because the variable may hold a password by mistake. */
function shown(value: string | undefined): unknown {
  return value === undefined || LIKE_A_NUMBER.test(value) ? value : redact(value);
}

function problemOf(value: string | undefined): string {
  if (value === undefined) return 'is not set in the environment';
  if (value === '') return 'is empty';
  return 'is not a whole number from 0 in plain digits';
}
