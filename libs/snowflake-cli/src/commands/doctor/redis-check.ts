import { safeReason } from 'nestjs-snowflake/internal/core/errors/foreign-error';
import {
  refusalSubject,
  type RefusalSubject,
  toRedisStoreError,
} from 'nestjs-snowflake/internal/stores/redis/redis-errors';
import { proveArguments } from 'nestjs-snowflake/internal/stores/redis/redis-lease-store';
import { CLUSTER_RIGHT, leastRights } from 'nestjs-snowflake/internal/stores/redis/registry-key';
import { serverRefusal } from 'nestjs-snowflake/internal/stores/redis/server-refusals';
import type { RedisLeaseStoreOptions } from 'nestjs-snowflake/redis';
import { type Finding, finding, type FindingCode } from './findings.js';
import { RedisProbe } from './redis-probe.js';
import { READ_HISTORY, TRY_COMMANDS } from './redis-scripts.js';
import { examineSettingsOf } from './redis-settings.js';
import { addressInUrl, type ServerAddress, serverKindAt } from './server-kind.js';
import { type ServerReport, stopped } from './server-report.js';

const CODES: Readonly<Record<RefusalSubject, FindingCode>> = {
  credentials: 'CREDENTIALS_REFUSED',
  rights: 'RIGHTS_MISSING',
  server: 'WRONG_SERVER',
  tls: 'STORE_REFUSES',
  database: 'DATABASE_MISSING',
  data: 'REGISTRY_UNREADABLE',
};
const USUAL_PORT = 6379;
const EXAMINED = ['server', 'rights', 'history', 'eviction', 'replicas', 'persistence'] as const;
/** The error of Redis for the HSET of {@link TRY_COMMANDS} if the user may run it. */
const WRONG_ARGUMENT_COUNT = /wrong number of arguments/i;
const WRITES_REFUSED = /^(-?ERR )?(OOM|MISCONF|NOREPLICAS)\b/;

/** Examines a Redis server. Writes nothing, and takes no lease. */
export async function examineRedis(
  options: RedisLeaseStoreOptions,
  timeoutMs: number,
): Promise<ServerReport> {
  const probe = new RedisProbe(options, timeoutMs);
  try {
    const wrongMode = await examineMode(probe);
    if (wrongMode) return stopped(wrongMode);
    return await examineRegistry(probe, options);
  } catch (error) {
    return stopped(await failure(error, options, timeoutMs));
  } finally {
    probe.close();
  }
}

/** Ignores a denied INFO, which {@link TRY_COMMANDS} reports. */
async function examineMode(probe: RedisProbe): Promise<Finding | undefined> {
  let about: string;
  try {
    about = String(await probe.call('INFO', 'server'));
  } catch (error) {
    if (refusalSubject(error) === 'rights') return undefined;
    throw error;
  }
  const mode = /^redis_mode:(\w+)/m.exec(about)?.[1];
  if (mode === 'sentinel') {
    const remedy =
      "Use the options sentinels: [{ host, port }] and name: 'mymaster' of redisLeaseStore(), not url.";
    return finding('WRONG_SERVER', 'This server is a Redis Sentinel, not the Redis that it monitors.', {
      remedy,
    });
  }
  if (mode !== 'cluster' || probe.isCluster) return undefined;
  const remedy = 'Use the option cluster of redisLeaseStore(), or pass a Cluster as client.';
  return finding(
    'WRONG_SERVER',
    'This server is a node of a Redis Cluster, but the store connects to a single server.',
    { remedy },
  );
}

async function examineRegistry(probe: RedisProbe, options: RedisLeaseStoreOptions): Promise<ServerReport> {
  const [tried, info] = (await probe.evaluate(TRY_COMMANDS)) as [string[], string];
  const byHash = await rightToRunByHash(probe);
  const denied = [...byHash, ...triedCommands(tried).filter(({ reason }) => isDenied(reason))];
  if (denied.length > 0) return stopped(missingRights(denied, options, probe.isCluster));
  const refused = triedCommands(tried).find(({ reason }) => !WRONG_ARGUMENT_COUNT.test(reason));
  if (refused) return stopped(refusal(refused.reason, options));
  const trust = { assumeNoLostWrites: options.assumeNoLostWrites ?? false };
  const reply = (await probe.evaluate(READ_HISTORY, ...proveArguments(trust))) as string[];
  const unsound = serverRefusal(reply, describe(options));
  if (unsound) {
    const isLossy = reply[0] === 'LOSSY';
    const remedy = 'Correct the setting, or remove assumeNoLostWrites.';
    if (isLossy) return stopped(finding('COMMITS_MAY_BE_LOST', unsound.message, { remedy }));
    return stopped(finding('WRONG_SERVER', unsound.message));
  }
  const findings = await examineSettingsOf(probe, info, { minReplicas: options.minReplicas ?? 0, ...trust });
  return { findings, historyId: reply[1], isReadable: true, examined: EXAMINED };
}

interface Tried {
  readonly command: string;
  readonly reason: string;
}

function triedCommands(tried: readonly string[]): Tried[] {
  return tried
    .flatMap((command, index) => (index % 2 === 0 ? [{ command, reason: tried[index + 1] ?? '' }] : []))
    .filter(({ reason }) => reason !== '');
}

function isDenied(reason: string): boolean {
  return refusalSubject(new Error(reason)) === 'rights';
}

async function rightToRunByHash(probe: RedisProbe): Promise<Tried[]> {
  try {
    await probe.evaluateUnknown();
    return [];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return isDenied(reason) ? [{ command: 'EVALSHA', reason }] : [];
  }
}

function missingRights(
  denied: readonly Tried[],
  { namespace }: RedisLeaseStoreOptions,
  isCluster: boolean,
): Finding {
  const commands = [...new Set(denied.map(({ command }) => command))].join(', ');
  return finding('RIGHTS_MISSING', `The user may not run ${commands}: ${denied[0]?.reason}`, {
    remedy: `Grant the user these rights: ${leastRights(namespace)}${isCluster ? ` ${CLUSTER_RIGHT}` : ''}`,
  });
}

async function failure(error: unknown, options: RedisLeaseStoreOptions, timeoutMs: number): Promise<Finding> {
  const reason = safeReason(error instanceof Error && 'lastNodeError' in error ? error.lastNodeError : error);
  if (refusalSubject(error) === 'rights') {
    return missingRights([{ command: 'EVAL', reason }], options, options.cluster !== undefined);
  }
  const known = refusal(reason, options, refusalSubject(error));
  if (known.code !== 'STORE_UNREACHABLE') return known;
  const address = addressOf(options);
  const kind = address && (await serverKindAt(address, timeoutMs));
  if (address === undefined || kind === undefined) return known;
  if (kind === 'Redis') return usesTls(options) ? withoutTls(address, options) : known;
  return finding('WRONG_SERVER', `The server at ${address.host}:${address.port} is ${kind}, not Redis.`);
}

function usesTls({ url, options }: RedisLeaseStoreOptions): boolean {
  return url?.startsWith('rediss:') === true || options?.tls !== undefined;
}

/** Redis without TLS never answers a TLS handshake, so the client only sees a timeout. */
function withoutTls({ host, port }: ServerAddress, options: RedisLeaseStoreOptions): Finding {
  const problem = `${describe(options)}: no answer, because the client uses TLS and the Redis at ${host}:${port} doesn't.`;
  const remedy = 'Use redis:// instead of rediss:// (or omit the option tls), or the TLS port of the server.';
  return finding('STORE_UNREACHABLE', problem, { remedy });
}

function refusal(
  reason: string,
  options: RedisLeaseStoreOptions,
  subject = refusalSubject(new Error(reason)),
): Finding {
  const description = describe(options);
  const problem = `${description}: ${reason}`;
  if (subject === 'server' || subject === 'tls') {
    const { message } = toRedisStoreError({ description, namespace: options.namespace }, new Error(reason));
    return finding(CODES[subject], message);
  }
  if (subject !== undefined) return finding(CODES[subject], problem);
  if (/READONLY/.test(reason)) return finding('READ_ONLY_SERVER', problem);
  return finding(WRITES_REFUSED.test(reason) ? 'WRITES_REFUSED' : 'STORE_UNREACHABLE', problem);
}

function describe({ namespace }: RedisLeaseStoreOptions): string {
  return `redis namespace "${namespace}"`;
}

function addressOf({ url, options }: RedisLeaseStoreOptions): ServerAddress | undefined {
  if (url !== undefined && URL.canParse(url)) return addressInUrl(url, USUAL_PORT);
  return options?.host === undefined ? undefined : { host: options.host, port: options.port ?? USUAL_PORT };
}
