import { type Finding, finding } from './findings.js';
import type { ServerTrust } from 'nestjs-snowflake/internal/stores/redis/lease-arguments';
import type { RedisProbe } from './redis-probe.js';

/** Examines the settings of a Redis server that can lose or delay leases. @param info the text of INFO */
export async function examineSettingsOf(
  probe: RedisProbe,
  info: string,
  { minReplicas, assumeNoLostWrites }: ServerTrust,
): Promise<Finding[]> {
  return [
    ...(assumeNoLostWrites ? await lateFlush(probe) : []),
    ...(await eviction(probe, info)),
    ...replicas(info, minReplicas),
    ...(await persistence(probe, info)),
  ];
}

async function eviction(probe: RedisProbe, info: string): Promise<Finding[]> {
  const policy = infoField(info, 'maxmemory_policy') ?? (await configOf(probe, 'maxmemory-policy'));
  if (policy === undefined) {
    const problem = 'Neither INFO memory nor CONFIG GET shows maxmemory-policy to this user.';
    return [finding('EVICTION_UNKNOWN', problem)];
  }
  if (!policy.startsWith('allkeys-')) return [];
  const limit = infoField(info, 'maxmemory');
  const now = limit === '0' ? ' maxmemory is 0, so nothing is evicted until it is set.' : '';
  const problem = `maxmemory-policy is ${policy}: Redis may drop the registry, and new processes then wait.${now}`;
  return [finding('EVICTION', problem)];
}

function replicas(info: string, minReplicas: number): Finding[] {
  const online = [...info.matchAll(/^slave\d+:.*state=online/gm)].length;
  if (online < minReplicas) {
    const problem = `Replicas that follow this master: ${online}. minReplicas is ${minReplicas}, so it grants no lease.`;
    return [finding('REPLICAS_TOO_FEW', problem)];
  }
  const connected = Number(infoField(info, 'connected_slaves') ?? online);
  if (connected === 0 || minReplicas > 0) return [];
  const problem =
    `Replicas that follow this master: ${connected}. minReplicas is 0: if a failover replaces the master while it still ` +
    'serves processes, both masters can grant the same worker ID.';
  return [finding('REPLICAS_UNPROVEN', problem)];
}

/** Only CONFIG shows how often the append-only file is flushed, and few users may read it. */
async function lateFlush(probe: RedisProbe): Promise<Finding[]> {
  const policy = await configOf(probe, 'appendfsync');
  if (policy === undefined || policy === 'always') return [];
  const problem = `assumeNoLostWrites is true, but appendfsync is ${policy}: a crash of the machine can undo acknowledged writes.`;
  const remedy = 'Set appendfsync always, or remove assumeNoLostWrites.';
  return [finding('COMMITS_MAY_BE_LOST', problem, { remedy })];
}

/** Only CONFIG shows whether Redis takes snapshots, and few users may read it. */
async function persistence(probe: RedisProbe, info: string): Promise<Finding[]> {
  if (infoField(info, 'aof_enabled') !== '0') return [];
  if ((await configOf(probe, 'save')) !== '') return [];
  return [
    finding('NOT_PERSISTENT', 'appendonly is no and save is empty, so a restart of Redis loses all leases.'),
  ];
}

async function configOf(probe: RedisProbe, name: string): Promise<string | undefined> {
  try {
    const reply = await probe.call('CONFIG', 'GET', name);
    return Array.isArray(reply) && typeof reply[1] === 'string' ? reply[1] : undefined;
  } catch {
    return undefined;
  }
}

function infoField(info: string, field: string): string | undefined {
  return new RegExp(`^${field}:([^\r\n]*)`, 'm').exec(info)?.[1];
}
