import type { Clock } from '../../core/clock/clock.js';
import { InvalidOptionError, requireClock, requireOptions, requireWholeNumber } from '../../core/index.js';
import { systemClock } from '../../core/clock/system-clock.js';
import type { LeaseStore } from '../../lease/lease-store.js';
import { FixedLeaseStore } from '../fixed-lease-store.js';
import { type PodEnvironment, podEnvironment } from './pod-environment.js';
import { statefulOrdinal } from './stateful-ordinal.js';

/** Options of {@link kubernetesLeaseStore}. */
export interface KubernetesLeaseStoreOptions {
  /**
   * Name of the pod, if the host name differs from it.
   * Bounds: `<name>-<ordinal>`; excludes `podIndexVariable`.
   *
   * For example the value of an environment variable that is set to `metadata.name`.
   *
   * @defaultValue the host name
   */
  readonly hostname?: string;
  /**
   * Name of an environment variable that holds a label of the pod, through the downward API.
   * Bounds: excludes `hostname`.
   *
   * The label is `apps.kubernetes.io/pod-index` (Kubernetes 1.28 or later) or `statefulset.kubernetes.io/pod-name`. This is
   * the most reliable source, because only a StatefulSet sets these labels. Without it, the store reads the name of the pod.
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
   * Gives StatefulSets that share an ID space, even in different namespaces or clusters, ranges of worker IDs that don't
   * overlap.
   *
   * @defaultValue `0`
   */
  readonly offset?: number;
  /**
   * The clock whose time the grant begins at.
   *
   * @defaultValue the system clock
   */
  readonly clock?: Pick<Clock, 'now'>;
}

const OPTIONS = {
  hostname: true,
  podIndexVariable: true,
  firstOrdinal: true,
  offset: true,
  clock: true,
} satisfies Record<keyof KubernetesLeaseStoreOptions, true>;
const MAX = 2 ** 31 - 1;
const WARNING =
  'Kubernetes runs one pod per ordinal, so the worker ID is unique as long as no pod is force-deleted while it runs. Give ' +
  'each StatefulSet of the ID space a different offset. A restart while the clock is behind the last ID makes duplicates.';

/**
 * Uses the ordinal of a StatefulSet's pod as a fixed worker ID, without any server: `web-3` has ordinal 3 and worker ID
 * `offset + ordinal - firstOrdinal`.
 *
 * Relies on Kubernetes to run at most one pod per ordinal. A pod that is force-deleted (`--force --grace-period=0`, or by
 * hand while its node is unreachable) may keep running next to its successor. Kubernetes does not coordinate ordinals
 * across StatefulSets, namespaces or clusters: see `offset`. As with every fixed worker ID, a pod that starts while its
 * clock is behind the last ID of its predecessor makes duplicates. A warning says so at the start, as an event and in the
 * log.
 *
 * @throws InvalidOptionError outside Kubernetes, in a pod whose name is not that of a StatefulSet's pod, with the host name
 * of the node (`hostNetwork`), and in an Indexed Job; `lease()` rejects with it if the bit layout cannot hold the
 * worker ID
 */
export function kubernetesLeaseStore(options: KubernetesLeaseStoreOptions = {}): LeaseStore {
  return kubernetesLeaseStoreIn(options, podEnvironment());
}

/** Makes a {@link kubernetesLeaseStore} for the pod that the caller describes. */
export function kubernetesLeaseStoreIn(
  options: KubernetesLeaseStoreOptions,
  pod: PodEnvironment,
): LeaseStore {
  requireOptions('kubernetesLeaseStore', options, OPTIONS);
  requireSource(options);
  const { clock = systemClock } = options;
  requireClock('kubernetesLeaseStore.clock', clock, ['now']);
  const first = requireWholeNumber('kubernetesLeaseStore.firstOrdinal', options.firstOrdinal ?? 0, 0, MAX);
  const offset = requireWholeNumber('kubernetesLeaseStore.offset', options.offset ?? 0, 0, MAX);
  const { ordinal, description, option, value } = statefulOrdinal(options, pod);
  if (ordinal < first) {
    throw new InvalidOptionError(
      'kubernetesLeaseStore.firstOrdinal',
      first,
      `is above the ordinal of this pod, ${ordinal}`,
      'Use the value of spec.ordinals.start, or omit it.',
    );
  }
  const workerId = offset + ordinal - first;
  return new FixedLeaseStore({
    workerId,
    description,
    warning: WARNING,
    clock,
    outOfRange: (lowest, highest) =>
      new InvalidOptionError(
        option,
        value,
        `results in worker ID ${workerId} (offset ${offset}), which is outside the bit layout's range ${lowest}..${highest}`,
        'Run fewer replicas, use a smaller offset, or start a new ID space with more worker bits.',
      ),
  });
}

function requireSource({ hostname, podIndexVariable }: KubernetesLeaseStoreOptions): void {
  requireText('hostname', hostname);
  requireText('podIndexVariable', podIndexVariable);
  if (hostname === undefined || podIndexVariable === undefined) return;
  throw new InvalidOptionError(
    'kubernetesLeaseStore.hostname',
    hostname,
    'conflicts with podIndexVariable: both set the source of the ordinal',
    'Set only one of them.',
  );
}

function requireText(option: keyof KubernetesLeaseStoreOptions, value: unknown): void {
  if (value === undefined || (typeof value === 'string' && value !== '')) return;
  throw new InvalidOptionError(
    `kubernetesLeaseStore.${option}`,
    value,
    'is not a name',
    'Use a non-empty string.',
  );
}
