import { StoreRejectedError } from '../../core/errors/index.js';
import { unsoundServer } from './unsound-servers.js';

const REMEDY = 'Use Redis, Valkey or sqlLeaseStore; OPERATIONS.md lists the supported servers.';

const HIDDEN = {
  redis_version: 'INFO server',
  run_id: 'INFO server',
  role: 'INFO replication',
  master_replid: 'INFO replication',
  master_repl_offset: 'INFO replication',
  sync_full: 'INFO stats',
  sync_partial_ok: 'INFO stats',
} as const;

/** Returns the error for a script's word on its server; `undefined` when the script answered something else. */
export function serverRefusal(reply: readonly string[], store: string): StoreRejectedError | undefined {
  const [kind, detail = ''] = reply;
  if (kind === 'SERVER') return new StoreRejectedError(`${store} ${otherServer(detail)}`);
  if (kind === 'HIDDEN') return new StoreRejectedError(`${store} ${hiddenField(detail)}`);
  if (kind === 'ROLE') return new StoreRejectedError(`${store} ${otherRole(detail)}`);
  return undefined;
}

function otherServer(name: string): string {
  const known = unsoundServer(name);
  if (known) {
    return `is served by ${known.title}, which ${known.reason}, so forgotten leases would go unseen. ${REMEDY}`;
  }
  return (
    `is served by "${name}", as INFO server says. This library doesn't know how that server shows that it has lost ` +
    `writes. ${REMEDY} If you know that its master_replid or its run_id changes whenever acknowledged writes can be ` +
    `lost, as with Redis, set assumeRedisHistory: ['${name}'].`
  );
}

function hiddenField(field: string): string {
  const section = Object.hasOwn(HIDDEN, field) ? HIDDEN[field as keyof typeof HIDDEN] : 'INFO';
  return (
    `doesn't show ${field} in ${section}, so forgotten leases would go unseen. Connect to Redis itself: proxies that ` +
    'hide INFO and Active-Active databases are unsupported.'
  );
}

function otherRole(role: string): string {
  return (
    `has the role "${role}" in INFO replication. Only a master grants leases: where several servers accept writes, two ` +
    'can grant one worker ID. With KeyDB set active-replica no.'
  );
}
