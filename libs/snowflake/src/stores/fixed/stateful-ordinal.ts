import { readFileSync } from 'node:fs';
import { hostname as nameOfHost } from 'node:os';
import { InvalidOptionError } from '../../core/errors/input-errors.js';
import { redact } from '../../core/errors/show-value.js';
import { readPodName } from './pod-name.js';

/** What a process can see of its pod without any rights in the cluster. */
export interface PodEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly hostname: string;
  /** Whether the pod uses the network, and with it the host name, of its node. */
  readonly usesHostNetwork: boolean;
}

/** The ordinal of a pod, and its source. */
export interface StatefulOrdinal {
  readonly ordinal: number;
  /** Names it in logs and errors: `StatefulSet "web", ordinal 3`. */
  readonly description: string;
  /** The option or variable that held it, and its value, for later errors. */
  readonly option: string;
  readonly value: string;
}

/** Where to read the ordinal instead of the host name. */
export interface OrdinalSource {
  readonly hostname?: string;
  readonly podIndexVariable?: string;
}

const HOSTS_FILE = '/etc/hosts';
/** The first line that the kubelet writes into the hosts file of such a pod. */
const HOST_NETWORK_HEADER = '# Kubernetes-managed hosts file (host network).';
const DOWNWARD_API =
  `env: [{ name: POD_INDEX, valueFrom: { fieldRef: { fieldPath: "metadata.labels['apps.kubernetes.io/pod-index']" } } }] ` +
  `and podIndexVariable: 'POD_INDEX'`;
/** The form of pod names and indexes. Any other value stays hidden: the variable may hold a password by mistake. */
const LABEL = /^[a-z\d.-]{1,253}$/;
const OTHERWISE =
  'Run the app as a StatefulSet, or lease worker IDs, e.g. with redisLeaseStore() of nestjs-snowflake/redis.';

/** Returns the environment of the running process. */
export function podEnvironment(): PodEnvironment {
  return { env: process.env, hostname: nameOfHost(), usesHostNetwork: isHostNetwork() };
}

function isHostNetwork(): boolean {
  try {
    return readFileSync(HOSTS_FILE, 'utf8').startsWith(HOST_NETWORK_HEADER);
  } catch {
    // Without a hosts file, nothing indicates that the host name is that of the node.
    return false;
  }
}

/** Returns the ordinal of this pod. @throws InvalidOptionError if it is not a pod of a StatefulSet */
export function statefulOrdinal(source: OrdinalSource, pod: PodEnvironment): StatefulOrdinal {
  refuseOtherPlaces(pod);
  const { podIndexVariable, hostname } = source;
  if (podIndexVariable !== undefined) return fromVariable(podIndexVariable, pod.env[podIndexVariable]);
  if (hostname === undefined && pod.usesHostNetwork) {
    throw new InvalidOptionError(
      'kubernetesLeaseStore.hostname',
      pod.hostname,
      'is the name of the node, because the pod has hostNetwork: true: pods of one node would share a worker ID',
      `Pass the index of the pod: ${DOWNWARD_API}.`,
    );
  }
  return fromPodName('kubernetesLeaseStore.hostname', hostname ?? pod.hostname);
}

function refuseOtherPlaces({ env }: PodEnvironment): void {
  if (!env.KUBERNETES_SERVICE_HOST) {
    throw new InvalidOptionError(
      'KUBERNETES_SERVICE_HOST',
      env.KUBERNETES_SERVICE_HOST,
      'is not set, so this process runs outside Kubernetes and its host name has no ordinal',
      'Outside Kubernetes, use environmentLeaseStore(), staticLeaseStore(), or leased worker IDs.',
    );
  }
  if (env.JOB_COMPLETION_INDEX !== undefined) {
    throw new InvalidOptionError(
      'JOB_COMPLETION_INDEX',
      env.JOB_COMPLETION_INDEX,
      'is set, so this pod belongs to an Indexed Job, and two of its pods can run under one index',
      OTHERWISE,
    );
  }
}

function fromVariable(variable: string, value: string | undefined): StatefulOrdinal {
  if (value === undefined || value === '') {
    throw new InvalidOptionError(
      variable,
      value,
      value === '' ? 'is empty: the pod has no such label' : 'is not set',
      `Set it in the pod template of a StatefulSet (Kubernetes 1.28 or later): ${DOWNWARD_API}.`,
    );
  }
  if (!LABEL.test(value)) {
    const problem = 'is not a pod label value: those have only lower-case letters, digits, - and .';
    throw new InvalidOptionError(
      variable,
      redact(value),
      problem,
      `Pass the index of the pod: ${DOWNWARD_API}.`,
    );
  }
  if (!/^(0|[1-9]\d{0,9})$/.test(value)) return fromPodName(variable, value);
  return {
    ordinal: Number(value),
    description: `StatefulSet, ordinal ${value}`,
    option: variable,
    value,
  };
}

function fromPodName(option: string, name: string): StatefulOrdinal {
  const pod = readPodName(name);
  if (pod.kind === 'ordinal') {
    const { owner, ordinal } = pod;
    return { ordinal, description: `StatefulSet "${owner}", ordinal ${ordinal}`, option, value: name };
  }
  if (pod.kind === 'random') {
    const owner = pod.ofDeployment ? 'a Deployment' : 'a Deployment, DaemonSet or Job';
    throw new InvalidOptionError(
      option,
      name,
      `ends in random characters, like the pod names of ${owner}, so it has no ordinal`,
      OTHERWISE,
    );
  }
  throw new InvalidOptionError(
    option,
    name,
    'does not have the form <name of the StatefulSet>-<ordinal>',
    `${OTHERWISE} If it is one with a changed host name, pass the index of the pod: ${DOWNWARD_API}.`,
  );
}
