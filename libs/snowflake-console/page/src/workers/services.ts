import type { WorkerWatch } from '../../../src/api/console-api.js';

/** The processes of one service, by the names of their holders. */
export interface Service {
  readonly name: string;
  readonly rows: readonly WorkerWatch[];
  readonly held: number;
  readonly offline: number;
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

/** Groups the worker IDs that have holders by service, the largest first. Hosts without a name come last. */
export function servicesOf(rows: readonly WorkerWatch[]): readonly Service[] {
  const groups = new Map<string, WorkerWatch[]>();
  for (const row of rows) {
    if (row.holder === undefined) continue;
    const name = serviceOf(row.holder);
    const group = groups.get(name);
    if (group) group.push(row);
    else groups.set(name, [row]);
  }
  return [...groups]
    .map(([name, own]) => ({
      name,
      rows: own,
      held: own.filter(({ state }) => state === 'held').length,
      offline: own.filter(({ state }) => state === 'offline').length,
    }))
    .sort(
      (a, b) =>
        Number(a.name === '') - Number(b.name === '') ||
        b.rows.length - a.rows.length ||
        (a.name < b.name ? -1 : 1),
    );
}
