import { Redis } from 'ioredis';
import type { RedisLeaseStoreOptions } from 'nestjs-snowflake/redis';
import { backfillScript } from '../../../libs/snowflake/src/stores/redis/backfill-script.js';
import { inspectScript } from '../../../libs/snowflake/src/stores/redis/inspect-script.js';
import { leaseScript } from '../../../libs/snowflake/src/stores/redis/lease-script.js';
import type { ServerSources } from '../../../libs/snowflake/src/stores/redis/lua.js';
import { proveScript } from '../../../libs/snowflake/src/stores/redis/prove-script.js';
import { leaseArguments } from '../../../libs/snowflake/src/stores/redis/lease-arguments.js';
import {
  proveArguments,
  RedisLeaseStore,
} from '../../../libs/snowflake/src/stores/redis/redis-lease-store.js';
import { registryKey } from '../../../libs/snowflake/src/stores/redis/registry-key.js';
import { releaseScript } from '../../../libs/snowflake/src/stores/redis/release-script.js';
import type { ReplicationProof } from '../../../libs/snowflake/src/stores/redis/replication-proof.js';
import type { LeaseRequest } from '../../../libs/snowflake/src/lease/lease-store.js';
import type { ServerState } from '../../../libs/snowflake/src/stores/protocol/lease-registry.js';
import type { RedisServer } from '../../support/servers/index.js';

/** What a master says that no replica has joined. */
const NO_JOINS = 'sync_full:0\r\nsync_partial_ok:0\r\n';
const TRUST = { minReplicas: 0, assumeNoLostWrites: false };
/** What a server says that keeps every write. */
const DURABLE =
  '# Persistence\r\naof_enabled:1\r\n# Memory\r\nmaxmemory:0\r\nmaxmemory_policy:noeviction\r\n';
const STATE_KEY = 'test:server';

/** The scripts of production, but for the expressions that ask for time and history. */
const virtualSources: ServerSources = {
  time: `redis.call('HMGET', '${STATE_KEY}', 'seconds', 'microseconds')`,
  serverInfo: `redis.call('HGET', '${STATE_KEY}', 'about')`,
  replicationInfo: `redis.call('HGET', '${STATE_KEY}', 'info')`,
  statsInfo: `redis.call('HGET', '${STATE_KEY}', 'stats')`,
  settingsInfo: `redis.call('HGET', '${STATE_KEY}', 'settings')`,
};
const virtualScripts = {
  lease: leaseScript(virtualSources),
  prove: proveScript(virtualSources),
  release: releaseScript(),
  inspect: inspectScript(virtualSources),
  backfill: backfillScript(virtualSources),
};

/** A real Redis whose clock and history the test decides. */
export class VirtualServer {
  readonly store: RedisLeaseStore;
  readonly redis: Redis;
  readonly key: string;
  private readonly leaseText: string;

  /**
   * @param alterLease changes the text of the `lease` script, to take a mechanism away
   * @param options more options of the store
   */
  constructor(
    server: RedisServer,
    readonly namespace: string,
    alterLease: (text: string) => string = (text) => text,
    options: Pick<RedisLeaseStoreOptions, 'assumeNoLostWrites'> = {},
  ) {
    this.leaseText = alterLease(virtualScripts.lease);
    const scripts = { ...virtualScripts, lease: this.leaseText };
    this.key = registryKey(namespace);
    this.redis = new Redis(server.url);
    this.store = new RedisLeaseStore({ url: server.url, namespace, ...options }, scripts);
    this.store.open({ callTimeoutMs: 30_000 });
  }

  /**
   * Decides the clock and the history of all calls to come.
   *
   * @param state its history is `<replication ID>/<run ID>`
   */
  async become({ nowMs, historyId }: ServerState, moreInfo = '', stats = NO_JOINS): Promise<void> {
    const [replicationId, runId] = historyId.split('/');
    const info = `# Replication\r\nrole:master\r\n${moreInfo}master_replid:${replicationId}\r\n`;
    const about = `# Server\r\nredis_version:7.0.15\r\nrun_id:${runId}\r\n`;
    const microseconds = String((nowMs % 1000) * 1000 + 999);
    await this.redis.hset(STATE_KEY, {
      seconds: Math.floor(nowMs / 1000),
      microseconds,
      about,
      info,
      stats,
      settings: DURABLE,
    });
  }

  /** Replaces what the server says of itself from now on, until it {@link become}s something again. */
  async report(sections: {
    readonly about?: string;
    readonly info?: string;
    readonly settings?: string;
  }): Promise<void> {
    await this.redis.hset(STATE_KEY, sections);
  }

  /** The `lease` script's own reply, for a store that wants `minReplicas`. */
  async rawLease(request: LeaseRequest, minReplicas: number, proof?: ReplicationProof): Promise<unknown> {
    const trust = { ...TRUST, minReplicas };
    return this.redis.eval(this.leaseText, 1, this.key, ...leaseArguments(request, trust, proof));
  }

  /** The `prove` script's own reply. */
  async rawProve(): Promise<unknown> {
    return this.redis.eval(virtualScripts.prove, 1, this.key, ...proveArguments(TRUST));
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
