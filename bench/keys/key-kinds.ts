import { randomUUID } from 'node:crypto';
import type { SnowflakeIdMaker } from 'nestjs-snowflake';
import { uuidCodec } from 'nestjs-snowflake/core';
import { v7 } from 'uuid';

/** A kind of key, for a table and for the columns that refer to it. */
export interface KeyKind {
  readonly name: string;
  readonly label: string;
  /** Type of the column, the same in PostgreSQL and MariaDB. */
  readonly type: 'bigint' | 'uuid';
  /** Returns the next key as a literal of SQL. Absent if the database generates it, from 1. */
  readonly next?: () => string;
}

/** The first of them is what the others are compared with. */
export function keyKinds(ids: SnowflakeIdMaker): KeyKind[] {
  const codec = uuidCodec();
  return [
    { name: 'identity', label: 'bigint identity', type: 'bigint' },
    { name: 'snowflake', label: 'Snowflake ID, bigint', type: 'bigint', next: () => ids.nextId() },
    {
      name: 'uuid_v8',
      label: 'Snowflake ID, uuidCodec()',
      type: 'uuid',
      next: () => `'${codec.encode(ids.nextId())}'`,
    },
    { name: 'uuid_v7', label: 'UUID v7', type: 'uuid', next: () => `'${v7()}'` },
    { name: 'uuid_v4', label: 'UUID v4', type: 'uuid', next: () => `'${randomUUID()}'` },
  ];
}
