import type { SqlLeaseStoreOptions } from 'nestjs-snowflake/sql';
import type { LeaseStore } from '../../../../libs/snowflake/src/lease/lease-store.js';
import type { SqlDialect } from '../../../../libs/snowflake/src/kit/sql/dialects/dialect.js';
import {
  SQL_MECHANISMS,
  type SqlMechanisms,
} from '../../../../libs/snowflake/src/kit/sql/dialects/dialects.js';
import { SqlLeaseStore } from '../../../../libs/snowflake/src/stores/sql/sql-lease-store.js';

/** The mechanisms of a database, with another dialect. */
export function withDialect(alter: (dialect: SqlDialect) => SqlDialect): SqlMechanisms {
  return { dialectOf: (options, use) => alter(SQL_MECHANISMS.dialectOf(options, use)) };
}

/** The store believes the assertion that no write is lost, whatever the server says. */
export function withoutAskingForSettings(dialect: SqlDialect): SqlDialect {
  const { lossySettings } = dialect;
  return { ...dialect, ...(lossySettings && { lossySettings: { ...lossySettings, read: () => [] } }) };
}

/** Longer than a busy machine keeps a database from answering. */
const CALL_TIMEOUT_MS = 30_000;

/** Opens stores and closes them all. */
export class Stores {
  private readonly opened: LeaseStore[] = [];

  /** @param alter changes the dialect, to take a mechanism away */
  open(
    options: SqlLeaseStoreOptions,
    callTimeoutMs = CALL_TIMEOUT_MS,
    alter?: (dialect: SqlDialect) => SqlDialect,
  ): LeaseStore {
    const store = new SqlLeaseStore(options, alter && withDialect(alter));
    store.open({ callTimeoutMs });
    this.opened.push(store);
    return store;
  }

  async close(): Promise<void> {
    await Promise.all(this.opened.splice(0).map((store) => store.close()));
  }
}
