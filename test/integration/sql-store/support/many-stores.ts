import { setTimeout as delay } from 'node:timers/promises';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import type { StoreUnderTest } from 'nestjs-snowflake/store';
import * as mysql2 from 'mysql2';
import pg from 'pg';
import type { BackfillReply, LeaseStore } from '../../../../libs/snowflake/src/lease/lease-store.js';
import type { TestDatabase } from './databases.js';

const CONNECTIONS = 2;

/** Every call goes to the next of several stores, as if it came from another process. */
class ManyStores implements LeaseStore {
  readonly renewable = true;
  private calls = 0;

  constructor(private readonly stores: readonly LeaseStore[]) {}

  get description(): string {
    return this.next().description;
  }
  lease(request: Parameters<LeaseStore['lease']>[0]): ReturnType<LeaseStore['lease']> {
    return this.next().lease(request);
  }
  release(request: Parameters<LeaseStore['release']>[0]): ReturnType<LeaseStore['release']> {
    return this.next().release(request);
  }
  async backfill(...request: Parameters<NonNullable<LeaseStore['backfill']>>): Promise<BackfillReply> {
    const reply = await this.next().backfill?.(...request);
    if (!reply) throw new Error('This store claims no timestamps of the past.');
    return reply;
  }
  inspect(): ReturnType<LeaseStore['inspect']> {
    return this.next().inspect();
  }
  async close(): Promise<void> {
    await Promise.all(this.stores.map((store) => store.close()));
  }

  private next(): LeaseStore {
    this.calls += 1;
    return this.stores[this.calls % this.stores.length]!;
  }
}

/** Cases begin between two tests, too, when Jest lets nothing load a package. */
const DRIVERS: Readonly<Record<string, unknown>> = { postgres: pg, mariadb: mysql2 };

let namespaces = 0;

/** Every namespace of the one table is a fresh registry. */
export async function storesUnderTest({ options }: TestDatabase): Promise<StoreUnderTest> {
  namespaces += 1;
  const namespace = `contract-${namespaces}`;
  const driver = DRIVERS[options.type];
  const dataSource = driver === undefined ? options : ({ ...options, driver } as typeof options);
  const stores = Array.from({ length: CONNECTIONS }, () =>
    sqlLeaseStore({ dataSource, namespace, createTable: true }),
  );
  for (const store of stores) await store.open?.({ callTimeoutMs: 30_000 });
  const store = new ManyStores(stores);
  return { store, letPass: (ms) => delay(ms), dispose: () => store.close() };
}
