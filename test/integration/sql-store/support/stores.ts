import { sqlLeaseStore, type SqlLeaseStoreOptions } from 'nestjs-snowflake/sql';
import type { LeaseStore } from '../../../../libs/snowflake/src/lease/lease-store.js';

/** Longer than a busy machine keeps a database from answering. */
const CALL_TIMEOUT_MS = 30_000;

/** Opens stores and closes them all. */
export class Stores {
  private readonly opened: LeaseStore[] = [];

  open(options: SqlLeaseStoreOptions, callTimeoutMs = CALL_TIMEOUT_MS): LeaseStore {
    const store = sqlLeaseStore(options);
    void store.open?.({ callTimeoutMs });
    this.opened.push(store);
    return store;
  }

  async close(): Promise<void> {
    await Promise.all(this.opened.splice(0).map((store) => store.close()));
  }
}
