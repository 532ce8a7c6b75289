import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** What a process can see of its pod without any rights in the cluster. */
export interface PodEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly hostname: string;
  /** Whether the pod uses the network, and with it the host name, of its node. */
  readonly usesHostNetwork: boolean;
}

const HOSTS_FILE = '/etc/hosts';
/** The first line that the kubelet writes into the hosts file of such a pod. */
const HOST_NETWORK_HEADER = '# Kubernetes-managed hosts file (host network).';

/** Returns the environment of the running process. */
export function podEnvironment(): PodEnvironment {
  return { env: process.env, hostname: hostname(), usesHostNetwork: isHostNetwork() };
}

function isHostNetwork(): boolean {
  try {
    return readFileSync(HOSTS_FILE, 'utf8').startsWith(HOST_NETWORK_HEADER);
  } catch {
    // Without a hosts file, nothing indicates that the host name is that of the node.
    return false;
  }
}
