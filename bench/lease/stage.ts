import { Redis } from 'ioredis';
import type { LeaseStore } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import type { LeaseReply } from 'nestjs-snowflake/store';
import { type RedisServer, startRedis } from '../../test/support/servers/index.js';
import { acquireRequest, newNonce } from '../support/lease-request.js';
import { GrantedWorkerIds } from './granted-worker-ids.js';

type Grant = Extract<LeaseReply, { outcome: 'new' }>;

/** Longer than the benchmark, so that no window ends and every grant of a namespace must have another worker ID. */
export const WINDOW_MS = 24 * 3_600_000;

const CALL_TIMEOUT_MS = 60_000;
const ROWS_A_WRITE = 5000;

/** A private Redis, the stores of the bench, and the worker IDs that they granted. */
export class Stage {
  readonly granted = new GrantedWorkerIds();
  private readonly stores: LeaseStore[] = [];

  private constructor(
    readonly server: RedisServer,
    readonly redis: Redis,
  ) {}

  static async open(): Promise<Stage> {
    const server = await startRedis();
    return new Stage(server, new Redis(server.url));
  }

  /** Opens a store on its own connection, with its scripts loaded. */
  async store(namespace: string): Promise<LeaseStore> {
    const store = redisLeaseStore({ url: this.server.url, namespace });
    this.stores.push(store);
    await store.open?.({ callTimeoutMs: CALL_TIMEOUT_MS });
    await store.inspect();
    return store;
  }

  /** @throws Error when nothing is granted */
  async acquire(store: LeaseStore, namespace: string, workerCount: number): Promise<Grant> {
    const reply = await store.lease(acquireRequest(workerCount, WINDOW_MS));
    if (reply.outcome !== 'new') throw new Error(`${store.description} answered ${JSON.stringify(reply)}`);
    this.granted.add(namespace, reply.workerId);
    return reply;
  }

  /** A registry whose worker IDs have all been used; all but 0 are offline, in an order unlike that of their numbers. */
  async useAll(store: LeaseStore, namespace: string, workerCount: number): Promise<void> {
    const { storeNowMs } = await this.acquire(store, namespace, workerCount);
    const key = keyOf(namespace);
    await this.redis.hset(key, 'fresh', workerCount);
    for (let from = 1; from < workerCount; from += ROWS_A_WRITE) {
      const rows: Record<string, string> = {};
      for (let workerId = from; workerId < Math.min(from + ROWS_A_WRITE, workerCount); workerId += 1) {
        const endMs = storeNowMs - 2 * workerCount + ((workerId * 7919) % workerCount);
        rows[workerId] = `${endMs} ${newNonce()}@${endMs - 60_000}`;
      }
      await this.redis.hset(key, rows);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.stores.map((store) => store.close()));
    await this.redis.quit();
    await this.server.stop();
  }
}

/** The registry of a namespace in Redis. */
function keyOf(namespace: string): string {
  return `snowflake:{${namespace}}`;
}
