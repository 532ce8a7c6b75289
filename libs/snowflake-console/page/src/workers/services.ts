import type { RegistryWatch, WorkerWatch } from '../../../src/api/console-api.js';
import { isReplaced } from './cells.js';

/** The processes of one service, by the names of their holders. */
export interface Service {
  readonly name: string;
  readonly rows: readonly WorkerWatch[];
  readonly held: number;
  readonly offline: number;
  /** Worker IDs whose processes hold another one by now. */
  readonly replaced: number;
}

/** What follows the host in the name of a holder: its domain, the process and the thread. */
const AFTER_HOST = /[./].*$/s;
/** How Kubernetes names the pods of a Deployment, of a DaemonSet or Job, and of a StatefulSet. */
const SUFFIXES: readonly RegExp[] = [
  /-[0-9bcdf]{1,2}[0-9a-z]{5,9}-[bcdfghjklmnpqrstvwxz2456789]{5}$/,
  /-[bcdfghjklmnpqrstvwxz2456789]{5}$/,
  /-\d{1,4}$/,
];
/** How Docker and AWS name a host. */
const NAMELESS = /^([0-9a-f]{12}|ip(-\d{1,3}){4})$/;

/** Returns the name of the service of a process: that of its host without what is different for each pod. */
export function serviceOf(holder: string): string {
  const host = holder.replace(AFTER_HOST, '');
  if (NAMELESS.test(host)) return '';
  const suffix = SUFFIXES.find((each) => each.test(host));
  return suffix ? host.replace(suffix, '') : host;
}

/** Groups those rows of a registry that have holders by service, the largest first. Hosts without a name come last. */
export function servicesOf(registry: RegistryWatch, rows = registry.workers): readonly Service[] {
  const groups = new Map<string, WorkerWatch[]>();
  for (const row of rows) {
    if (row.holder === undefined) continue;
    const name = serviceOf(row.holder);
    const group = groups.get(name);
    if (group) group.push(row);
    else groups.set(name, [row]);
  }
  return [...groups]
    .map(([name, own]) => {
      const count = (state: string): number => own.filter((row) => row.state === state).length;
      const replaced = own.filter((row) => isReplaced(registry, row));
      const present = own.filter((row) => !isReplaced(registry, row));
      return {
        name,
        rows: [...present, ...replaced],
        held: count('held'),
        offline: count('offline') - replaced.length,
        replaced: replaced.length,
      };
    })
    .sort(
      (a, b) =>
        Number(a.name === '') - Number(b.name === '') ||
        b.rows.length - a.rows.length ||
        (a.name < b.name ? -1 : 1),
    );
}
