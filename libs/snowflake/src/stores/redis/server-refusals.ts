import { seeDocs } from '../../core/see-docs.js';
import { StoreRejectedError } from '../../core/errors/lease-errors.js';
import { unsoundServer } from './unsound-servers.js';

const REMEDY = `Use Redis, Valkey or sqlLeaseStore. ${seeDocs('stores/redis', 'Managed Redis')}`;

const HIDDEN = {
  redis_version: 'INFO server',
  run_id: 'INFO server',
  role: 'INFO replication',
  master_replid: 'INFO replication',
  master_repl_offset: 'INFO replication',
  sync_full: 'INFO stats',
  sync_partial_ok: 'INFO stats',
} as const;

/** Returns the error if a script refuses its server; `undefined` for any other reply. */
export function serverRefusal(reply: readonly string[], description: string): StoreRejectedError | undefined {
  const [kind, detail = '', value = ''] = reply;
  if (kind === 'SERVER') return new StoreRejectedError(`${description} ${otherServer(detail)}`);
  if (kind === 'HIDDEN') return new StoreRejectedError(`${description} ${hiddenField(detail)}`);
  if (kind === 'ROLE') return new StoreRejectedError(`${description} ${otherRole(detail)}`);
  if (kind === 'LOSSY') return lossyServer(detail, value, description);
  return undefined;
}

/** Returns the error if a setting refutes that the server loses no acknowledged write. */
export function lossyServer(setting: string, value: string, description: string): StoreRejectedError {
  return new StoreRejectedError(`${description} ${lossySetting(setting, value)}`);
}

function otherServer(name: string): string {
  const known = unsoundServer(name);
  if (known) {
    return `runs on ${known.title}, which ${known.reason}, so the store can't detect lost leases. ${REMEDY}`;
  }
  return (
    `runs on "${name}" according to INFO server. This library can't detect whether such a server has lost ` +
    `writes. ${REMEDY} If you know that it never loses an acknowledged write, set assumeNoLostWrites: true.`
  );
}

function hiddenField(field: string): string {
  const section = Object.hasOwn(HIDDEN, field) ? HIDDEN[field as keyof typeof HIDDEN] : 'INFO';
  return (
    `doesn't show ${field} in ${section}, so the store can't detect lost leases. Connect to Redis directly: proxies that ` +
    'hide INFO and Active-Active databases are not supported.'
  );
}

function lossySetting(name: string, value: string): string {
  const [how, durable] =
    name === 'maxmemory-policy'
      ? ['the server may evict the leases', 'maxmemory-policy noeviction']
      : ['a crash of the server can undo acknowledged writes', 'appendonly yes and appendfsync always'];
  return (
    `can't assume that no write is lost (assumeNoLostWrites: true): ${name} is ${value}, so ${how}. Set ${durable} on the ` +
    'server, or use Redis, Valkey or sqlLeaseStore without assumeNoLostWrites.'
  );
}

function otherRole(role: string): string {
  return (
    `has the role "${role}" in INFO replication. Only a master grants leases: if several servers accept writes, two ` +
    'of them can grant the same worker ID. On KeyDB, set active-replica no.'
  );
}
