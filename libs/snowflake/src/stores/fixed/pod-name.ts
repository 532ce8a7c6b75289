/** What the name of a pod reveals about its controller. */
export type PodName =
  /** `<name>-<ordinal>`: the form of a StatefulSet's pods. */
  | { readonly kind: 'ordinal'; readonly owner: string; readonly ordinal: number }
  /** Ends in five random characters, like the pods of a Deployment, DaemonSet or Job. They may all be digits. */
  | { readonly kind: 'random'; readonly ofDeployment: boolean }
  | { readonly kind: 'other' };

/**
 * The characters that Kubernetes uses in random names: no vowels, and no digits that look like one (`SafeEncodeString` and
 * `rand.String` of apimachinery).
 */
const SAFE = 'bcdfghjklmnpqrstvwxz2456789';
const RANDOM_SUFFIX = new RegExp(`-[${SAFE}]{5}$`);
const AFTER_REPLICA_SET_HASH = new RegExp(`-[${SAFE}]{6,10}-[${SAFE}]{5}$`);
const WITH_ORDINAL = /^([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)-(0|[1-9]\d{0,9})$/;

/**
 * Reads the name of a pod. A suffix that could be random counts as random: `agent-24567` may be a pod of a DaemonSet, and no
 * StatefulSet has that many pods.
 */
export function readPodName(name: string): PodName {
  if (RANDOM_SUFFIX.test(name)) return { kind: 'random', ofDeployment: AFTER_REPLICA_SET_HASH.test(name) };
  const [, owner, ordinal] = WITH_ORDINAL.exec(name) ?? [];
  if (owner === undefined || ordinal === undefined) return { kind: 'other' };
  return { kind: 'ordinal', owner, ordinal: Number(ordinal) };
}
