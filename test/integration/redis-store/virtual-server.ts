import { Redis } from 'ioredis';
import { inspectScript } from '../../../libs/snowflake/src/stores/redis/inspect-script.js';
import { leaseScript } from '../../../libs/snowflake/src/stores/redis/lease-script.js';
import type { ServerSources } from '../../../libs/snowflake/src/stores/redis/lua.js';
import { proveScript } from '../../../libs/snowflake/src/stores/redis/prove-script.js';
import {
  leaseArguments,
  RedisLeaseStore,
  registryKey,
} from '../../../libs/snowflake/src/stores/redis/redis-lease-store.js';
import { releaseScript } from '../../../libs/snowflake/src/stores/redis/release-script.js';
import type { ReplicationProof } from '../../../libs/snowflake/src/stores/redis/replication-proof.js';
import type { LeaseRequest } from '../../../libs/snowflake/src/lease/lease-store.js';
import type { ServerState } from '../../../libs/snowflake/src/stores/memory/index.js';
import type { RedisServer } from '../../support/servers/index.js';

/** What a master says that no replica has joined. */
const NO_JOINS = 'sync_full:0\r\nsync_partial_ok:0\r\n';
const STATE_KEY = 'test:server';

/** The scripts of production, but for the expressions that ask for time and history. */
const virtualSources: ServerSources = {
  time: `redis.call('HMGET', '${STATE_KEY}', 'seconds', 'microseconds')`,
  replicationInfo: `redis.call('HGET', '${STATE_KEY}', 'info')`,
  statsInfo: `redis.call('HGET', '${STATE_KEY}', 'stats')`,
};
const virtualScripts = {
  lease: leaseScript(virtualSources),
  prove: proveScript(virtualSources),
  release: releaseScript(),
  inspect: inspectScript(virtualSources),
};

/** A real Redis whose clock and replication ID the test decides. */
export class VirtualServer {
  readonly store: RedisLeaseStore;
  readonly redis: Redis;
  readonly key: string;
  private readonly leaseText: string;

  /** @param alterLease changes the text of the `lease` script, to take a mechanism away */
  constructor(
    server: RedisServer,
    readonly namespace: string,
    alterLease: (text: string) => string = (text) => text,
  ) {
    this.leaseText = alterLease(virtualScripts.lease);
    const scripts = { ...virtualScripts, lease: this.leaseText };
    this.key = registryKey(namespace);
    this.redis = new Redis(server.url);
    this.store = new RedisLeaseStore({ url: server.url, namespace }, scripts);
    this.store.open({ callTimeoutMs: 10_000 });
  }

  /** Decides the clock and the replication ID of all calls to come. */
  async become({ nowMs, reign }: ServerState, moreInfo = '', stats = NO_JOINS): Promise<void> {
    const info = `# Replication\r\nrole:master\r\n${moreInfo}master_replid:${reign}\r\n`;
    const microseconds = String((nowMs % 1000) * 1000 + 999);
    await this.redis.hset(STATE_KEY, { seconds: Math.floor(nowMs / 1000), microseconds, info, stats });
  }

  /** The `lease` script's own reply, for a store that wants `minReplicas`. */
  async rawLease(request: LeaseRequest, minReplicas: number, proof?: ReplicationProof): Promise<unknown> {
    return this.redis.eval(this.leaseText, 1, this.key, ...leaseArguments(request, minReplicas, proof));
  }

  /** The `prove` script's own reply. */
  async rawProve(): Promise<unknown> {
    return this.redis.eval(virtualScripts.prove, 1, this.key);
  }

  async fields(): Promise<Record<string, string>> {
    return this.redis.hgetall(this.key);
  }

  async replaceFields(fields: Record<string, string>): Promise<void> {
    await this.redis.del(this.key);
    if (Object.keys(fields).length > 0) await this.redis.hset(this.key, fields);
  }

  async write(field: string, value: string): Promise<void> {
    await this.redis.hset(this.key, field, value);
  }

  async close(): Promise<void> {
    await this.store.close();
    await this.redis.quit();
  }
}
