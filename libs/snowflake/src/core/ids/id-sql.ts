import { InvalidOptionError } from '../errors/input-errors.js';
import type { BitField, BitLayout } from '../layout/bit-layout.js';
import { MAX_ID } from './id-words.js';

/** The databases, by how they write the same expression. `mysql` is MySQL and MariaDB. */
export type IdSqlDialect = 'postgres' | 'mysql' | 'sqlite';

/** A field of an ID in SQL. */
export interface SqlField {
  readonly name: 'time' | 'datacenter_id' | 'worker_id' | 'sequence';
  /** The expression for an ID of the layout. */
  readonly sql: string;
  /** The expression for any 64-bit number. It is NULL where the library refuses to decode. */
  readonly checkedSql: string;
}

/** How a dialect writes times. */
interface TimeSql {
  /** The last time that the dialect has, in milliseconds. */
  readonly lastMs: number;
  /** Returns the time of an expression of Unix time in milliseconds. */
  ofUnixMs(ms: string): string;
  /** Returns the condition that `at` is at `ms` or before. */
  isUpTo(at: string, ms: number): string;
  /** Returns how many ticks after `fromMs` the first one at `at` or later starts. */
  ticksUpTo(at: string, fromMs: number, tickMs: number): string;
}

const END_OF_9999 = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const DAY_MS = 86_400_000;
/** The Julian day on which Unix time begins. */
const JULIAN_1970 = 2_440_587.5;

const TIMES: Readonly<Record<IdSqlDialect, TimeSql>> = {
  postgres: {
    lastMs: Infinity,
    // `timestamptz + interval` is not immutable. Until the year 4253, a float8 holds these microseconds exactly.
    ofUnixMs: (ms) => `(timestamp '1970-01-01' + (${ms}) * interval '1 millisecond') AT TIME ZONE 'UTC'`,
    isUpTo: (at, ms) => `${at} <= ${postgresTime(ms)}`,
    ticksUpTo: (at, fromMs, tickMs) =>
      `((extract(epoch FROM ${at} - ${postgresTime(fromMs)}) * 1000000)::bigint + ${tickMs * 1000 - 1}) / ${tickMs * 1000}`,
  },
  mysql: {
    lastMs: END_OF_9999,
    ofUnixMs: (ms) => `TIMESTAMP '1970-01-01 00:00:00' + INTERVAL (${ms}) * 1000 MICROSECOND`,
    isUpTo: (at, ms) => `${at} <= ${mysqlTime(Math.min(ms, END_OF_9999))}`,
    ticksUpTo: (at, fromMs, tickMs) =>
      `(TIMESTAMPDIFF(MICROSECOND, ${mysqlTime(fromMs)}, ${at}) + ${tickMs * 1000 - 1}) DIV ${tickMs * 1000}`,
  },
  sqlite: {
    lastMs: END_OF_9999,
    ofUnixMs: (ms) => `strftime('%Y-%m-%dT%H:%M:%fZ', (${ms}) / 1000.0, 'unixepoch')`,
    isUpTo: (at, ms) => `julianday(${at}) <= ${ms / DAY_MS + JULIAN_1970}`,
    ticksUpTo: (at, fromMs, tickMs) =>
      `(CAST(round((julianday(${at}) - ${JULIAN_1970}) * ${DAY_MS}) AS INTEGER) - ${fromMs - tickMs + 1}) / ${tickMs}`,
  },
};

/** Returns the fields of an ID, most significant first. `time` is NULL after the year 9999 on MySQL and SQLite. */
export function fieldsSql(layout: BitLayout, dialect: IdSqlDialect, id = 'id'): readonly SqlField[] {
  const { lastMs, ofUnixMs } = TIMES[dialect];
  const lower = layout.fields.filter(({ name }) => name === 'datacenter');
  const bits = [...lower, layout.field('worker'), layout.field('sequence')];
  return [
    fieldSql('time', ofUnixMs(unixMs(layout, dialect, id)), isId(layout, id, layout.tickAt(lastMs))),
    ...bits.map((field) => fieldSql(NAMES[field.name], bitsOf(field, id), isId(layout, id))),
  ];
}

const NAMES = {
  timestamp: 'time',
  datacenter: 'datacenter_id',
  worker: 'worker_id',
  sequence: 'sequence',
} as const;

function fieldSql(name: SqlField['name'], sql: string, condition: string): SqlField {
  return { name, sql, checkedSql: `CASE WHEN ${condition} THEN ${sql} END` };
}

function unixMs(layout: BitLayout, dialect: IdSqlDialect, id: string): string {
  const { epochMs, tickMs } = layout;
  const ticks = `(${id} >> ${layout.field('timestamp').shift})`;
  // MySQL shifts to an unsigned number, which can't become negative.
  const signed = dialect === 'mysql' && epochMs < 0 ? `CAST(${ticks} AS SIGNED)` : ticks;
  return `${signed}${tickMs === 1 ? '' : ` * ${tickMs}`} + ${epochMs}`;
}

/** Returns the condition that a number is an ID of the layout, and of this tick or an earlier one. */
function isId(layout: BitLayout, id: string, lastTick = layout.maxTick): string {
  const ticks = BigInt(Math.min(lastTick, layout.maxTick)) + 1n;
  const last = (ticks << BigInt(layout.field('timestamp').shift)) - 1n;
  return last >= MAX_ID ? `${id} >= 0` : `${id} BETWEEN 0 AND ${last}`;
}

/**
 * Returns the first ID at an instant or later, as `idRange(at, …).first` does: 0 before the epoch, and NULL after the end of the layout.
 *
 * @param at an expression: a `timestamptz` of PostgreSQL, a `DATETIME(6)` of MySQL in UTC, a time of SQLite in UTC
 * @throws InvalidOptionError unless the epoch is in a year that every dialect can write, 1000 to 9999
 */
export function firstIdSql(layout: BitLayout, dialect: IdSqlDialect, at = 'at'): string {
  const { epochMs, tickMs, maxTick } = layout;
  const year = new Date(epochMs).getUTCFullYear();
  if (year < 1000 || year > 9999) {
    throw new InvalidOptionError(
      'epoch',
      new Date(epochMs),
      'is not in the years 1000 to 9999',
      'Decode such IDs with the library.',
    );
  }
  const { isUpTo, ticksUpTo } = TIMES[dialect];
  const ticks = ticksUpTo(at, epochMs, tickMs);
  return (
    `CASE WHEN ${isUpTo(at, epochMs)} THEN 0 ` +
    `WHEN ${isUpTo(at, layout.startOfTick(maxTick))} THEN (${ticks}) << ${layout.field('timestamp').shift} END`
  );
}

function bitsOf({ bits, shift }: BitField, id: string): string {
  return `${shift === 0 ? id : `(${id} >> ${shift})`} & ${2 ** bits - 1}`;
}

function postgresTime(ms: number): string {
  return `timestamptz '${new Date(ms).toISOString().replace('+', '')}'`;
}

function mysqlTime(ms: number): string {
  return `TIMESTAMP '${new Date(ms).toISOString().slice(0, -1).replace('T', ' ')}'`;
}
