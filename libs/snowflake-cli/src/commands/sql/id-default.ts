import type { BitLayout, FieldName } from 'nestjs-snowflake/core';
import { ID_DEFAULT } from 'nestjs-snowflake/internal/stores/sql/id-default';
import { LEASE_TABLES } from 'nestjs-snowflake/internal/stores/sql/lease-tables';

/** What a SQL default is made for. */
export interface IdDefaultOptions {
  readonly namespace: string;
  readonly layout: BitLayout;
  readonly datacenterId: number;
  /** The name of the table of worker IDs. */
  readonly tableName?: string | undefined;
}

const { schema: SCHEMA, reservation, uncrashed } = ID_DEFAULT;
const RESERVATION = `${SCHEMA}.${reservation}`;
const UNCRASHED = `${SCHEMA}.${uncrashed}`;
/** Its values are a tick and, below it, the sequence number. */
const STATE = `${SCHEMA}.id_state`;
/** Its values are the last tick of the open block and, below it, the worker ID that it is for. */
const BLOCK = `${SCHEMA}.id_block`;

/** The IDs of a block last for this long, and IDs are behind the clock by no more. */
const BLOCK_MS = 10;
/** The key of the advisory lock under which blocks are opened. */
const LOCK = '1397641804, 0';
/** How often a session tries to get that lock, 0.5 ms apart: about 10 s. */
const ATTEMPTS = 20_000;
/** Marks a session in which the identity of the server was compared: it ends with the server, and when the server recovers from a crash. */
const CHECKED = `${SCHEMA}.id_checked`;
const RETURN_CHECKED = `PERFORM set_config('${CHECKED}', '${STATE}'::regclass::oid::text, false); RETURN;`;
const REFUSED = "RAISE EXCEPTION 'snowflake.id() cannot generate IDs now' USING ERRCODE = '55000'";
const NOT_RESERVED = `${REFUSED},
        DETAIL = 'No app process has reserved a worker ID for this database since the server was started, promoted, restored or copied, or recovered from a crash.',
        HINT = 'Wait until a process with sqlLeaseStore on this database, and with the namespace and layout of the default, has renewed its lease twice. Its role needs SELECT, INSERT and DELETE on ${RESERVATION} and ${UNCRASHED}.';`;

/**
 * Returns the statements that create `snowflake.id()` on PostgreSQL, without semicolons. A line that begins with `--` is a comment.
 *
 * @throws InvalidOptionError for a bad name of the table
 */
export async function createIdDefault(options: IdDefaultOptions): Promise<readonly string[]> {
  const parts = await partsOf(options);
  return [
    '-- Experimental. PostgreSQL generates IDs, in the ID space of the apps that lease worker IDs in this database.',
    refusal(parts),
    `CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`,
    `CREATE SEQUENCE ${STATE} MINVALUE 0`,
    `CREATE SEQUENCE ${BLOCK} MINVALUE 0`,
    `CREATE TABLE ${RESERVATION} (namespace varchar(128) NOT NULL, registry varchar(63) NOT NULL, worker_id integer,` +
      ' fencing_token varchar(512), from_ms bigint, written_by varchar(32))',
    // Without it, a publication of all tables would forbid to replace the row.
    `ALTER TABLE ${RESERVATION} REPLICA IDENTITY FULL`,
    `CREATE UNLOGGED TABLE ${UNCRASHED} (is_so boolean NOT NULL)`,
    `INSERT INTO ${RESERVATION} (namespace, registry) VALUES (${parts.namespace}, ${text(parts.tableName)})`,
    openBlock(parts),
    '-- The function runs with the permissions of its owner, and uses the lease tables where they are now.',
    ownPath(parts),
    id(parts),
    '-- Every role that inserts rows can take IDs, but only the owner can set the sequences.',
    `GRANT USAGE ON SCHEMA ${SCHEMA} TO PUBLIC`,
    `GRANT USAGE ON SEQUENCE ${STATE}, ${BLOCK} TO PUBLIC`,
    `-- If the apps have another user: GRANT SELECT, INSERT, DELETE ON ${RESERVATION}, ${UNCRASHED} TO …;`,
    `-- For each table: ALTER TABLE orders ALTER COLUMN id SET DEFAULT ${SCHEMA}.id();`,
  ];
}

/** Returns the statements that drop what {@link createIdDefault} creates. They fail while a column has the default. */
export function dropIdDefault(): readonly string[] {
  return [
    `-- Before that, for each table: ALTER TABLE orders ALTER COLUMN id DROP DEFAULT;`,
    `DROP FUNCTION ${SCHEMA}.id()`,
    `DROP FUNCTION ${SCHEMA}.id_open_block()`,
    `DROP TABLE ${UNCRASHED}`,
    `DROP TABLE ${RESERVATION}`,
    `DROP SEQUENCE ${BLOCK}`,
    `DROP SEQUENCE ${STATE}`,
  ];
}

interface Parts extends Required<Pick<IdDefaultOptions, 'layout' | 'datacenterId'>> {
  readonly tableName: string;
  /** As a literal. */
  readonly namespace: string;
  readonly leases: string;
  readonly namespaces: string;
  /** Expression: the history of the server, as the store writes it. */
  readonly identity: string;
  readonly writtenBy: string;
  readonly blockTicks: number;
}

async function partsOf({ namespace, layout, datacenterId, tableName }: IdDefaultOptions): Promise<Parts> {
  const name = LEASE_TABLES.nameRule.check('--table', tableName);
  const { tables, dialect } = LEASE_TABLES.in({ type: 'postgres' }, name);
  const { leases, namespaces } = tables.quoted;
  const history = await dialect.findHistory(async () => [], { quoted: namespaces, name: namespaces });
  return {
    layout,
    datacenterId,
    tableName: name,
    namespace: text(namespace),
    leases,
    namespaces,
    identity: history.identity,
    writtenBy: dialect.writer?.ofRow ?? '',
    blockTicks: Math.max(1, Math.ceil(BLOCK_MS / layout.tickMs)),
  };
}

/** Fails where the default can't work. */
function refusal({ namespaces, identity }: Parts): string {
  return `DO $$ BEGIN
  IF to_regclass(${text(namespaces)}) IS NULL THEN
    RAISE EXCEPTION 'the table ${namespaces} is missing' USING ERRCODE = '42P01',
      HINT = 'Create the lease tables first, in the schema of this connection: nestjs-snowflake-cli sql tables --dialect postgres.';
  END IF;
  IF to_regprocedure('pg_catalog.pg_sequence_last_value(regclass)') IS NULL THEN
    RAISE EXCEPTION 'the function pg_sequence_last_value is missing' USING ERRCODE = '0A000';
  END IF;
  PERFORM ${identity};
EXCEPTION
  WHEN undefined_function OR insufficient_privilege OR feature_not_supported OR object_not_in_prerequisite_state THEN
    RAISE EXCEPTION 'this server cannot generate IDs, because it does not show its history: %', SQLERRM USING ERRCODE = '0A000',
      HINT = 'Let the app generate the IDs. A default of this server could not tell a copy from the original.';
END $$`;
}

/** Opens a block of IDs above all earlier ones, if this database has the right to. */
function openBlock(parts: Parts): string {
  const { layout, blockTicks } = parts;
  const { bits: workerBits } = layout.field('worker');
  const { bits: sequenceBits } = layout.field('sequence');
  return `CREATE FUNCTION ${SCHEMA}.id_open_block() RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  worker bigint; first_tick bigint; last_tick bigint;
  present_tick bigint; next_tick bigint; begin_tick bigint;
  block bigint; is_open boolean;
BEGIN
  FOR attempt IN 1..${ATTEMPTS} LOOP
    block := coalesce(pg_sequence_last_value('${BLOCK}'), -1);
    next_tick := (coalesce(pg_sequence_last_value('${STATE}'), -1) + 1) >> ${sequenceBits};
    present_tick := ${presentTick(layout)};
    -- A right, once granted, lasts to the end of its window. So it needs no lock.
    ${grantedTicks(parts)};
    IF worker IS NULL THEN ${NOT_RESERVED} END IF;
    IF block & ${layout.maxWorkerId} = worker AND block >> ${workerBits} <= last_tick
        AND next_tick BETWEEN greatest(first_tick, present_tick - ${blockTicks}) AND block >> ${workerBits} THEN
      ${RETURN_CHECKED}
    END IF;
    begin_tick := greatest(present_tick, first_tick, (block >> ${workerBits}) + 1);
    IF begin_tick > last_tick THEN
      ${REFUSED},
        DETAIL = format('The window of worker ID %s has no timestamps left: the next is tick %s, the last is %s.', worker, begin_tick, last_tick),
        HINT = 'Wait until an app process with sqlLeaseStore on this database has renewed its lease. A REPEATABLE READ transaction sees no renewal: end it first.';
    END IF;
    -- A statement can be cancelled between two statements or within a query, so one simple expression locks, sets and unlocks.
    is_open := ${openUnderLock(parts)};
    IF is_open THEN
      ${RETURN_CHECKED}
    END IF;
    PERFORM pg_sleep(0.0005);
  END LOOP;
  RAISE EXCEPTION 'snowflake.id() cannot generate IDs now' USING ERRCODE = '55P03',
    DETAIL = 'Another session has held the advisory lock (${LOCK}) for 10 s.';
END $$`;
}

/** Query: the worker ID of this database and the ticks that are granted to it; no row if this server is not the one, or lost what it wrote. */
function grantedTicks({ layout, namespace, leases, namespaces, identity, writtenBy }: Parts): string {
  const tickOf = (timeMs: string): string => `(${timeMs} - ${layout.epochMs}) / ${layout.tickMs}`;
  return `SELECT r.worker_id, ${tickOf('greatest(r.from_ms, n.grants_after_ms)')} + 1, least(${tickOf('l.reserved_until_ms + 1')} - 1, ${layout.maxTick})
      INTO worker, first_tick, last_tick
      FROM ${RESERVATION} r JOIN ${UNCRASHED} ON true
      JOIN ${namespaces} n ON n.namespace = r.namespace
      JOIN ${leases} l ON l.namespace = r.namespace AND l.worker_id = r.worker_id
        AND split_part(l.fencing_token, '~', 1) = r.fencing_token
      WHERE r.namespace = ${namespace} AND r.written_by = r.${writtenBy} AND (SELECT count(*) FROM ${RESERVATION}) = 1
        AND n.written_by = n.${writtenBy} AND strpos(n.layout, '${layout.fingerprint} workers=') > 0 AND n.history_id = ${identity}`;
}

/** Expression: opens the block, unless another session has opened one meanwhile; NULL if another one has the lock. */
function openUnderLock({ layout, blockTicks }: Parts): string {
  const { bits: workerBits } = layout.field('worker');
  const { bits: sequenceBits } = layout.field('sequence');
  return `CASE WHEN pg_try_advisory_lock(${LOCK}) THEN (ARRAY[
      CASE WHEN coalesce(pg_sequence_last_value('${BLOCK}'), -1) <> block THEN false
        WHEN setval('${STATE}', (begin_tick << ${sequenceBits}) - 1) IS NOT NULL
        THEN setval('${BLOCK}', (least(begin_tick + ${blockTicks - 1}, last_tick) << ${workerBits}) | worker) IS NOT NULL END,
      pg_advisory_unlock(${LOCK})])[1] END`;
}

/** The function runs with the rights of its owner, so it must not find tables by the search path of its caller. */
function ownPath({ namespaces }: Parts): string {
  return `DO $$ BEGIN
  EXECUTE format('ALTER FUNCTION ${SCHEMA}.id_open_block() SET search_path = pg_catalog, %I, pg_temp',
    (SELECT nspname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE pg_class.oid = to_regclass(${text(namespaces)})));
END $$`;
}

function id({ layout, datacenterId, blockTicks }: Parts): string {
  const shift = (name: FieldName): number => layout.field(name).shift;
  const { bits: workerBits } = layout.field('worker');
  const { bits: sequenceBits } = layout.field('sequence');
  const datacenter = BigInt(datacenterId) << BigInt(shift('datacenter'));
  return `CREATE FUNCTION ${SCHEMA}.id() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  -- Read first: a value up to the end of a block that is open already can never come again.
  block bigint := pg_sequence_last_value('${BLOCK}');
  state bigint := nextval('${STATE}');
  oldest_tick bigint := ${presentTick(layout)} - ${blockTicks};
BEGIN
  WHILE (current_setting('${CHECKED}', true) = '${STATE}'::regclass::oid::text
      AND state >> ${sequenceBits} BETWEEN oldest_tick AND block >> ${workerBits}) IS NOT TRUE LOOP
    PERFORM ${SCHEMA}.id_open_block();
    block := pg_sequence_last_value('${BLOCK}');
    state := nextval('${STATE}');
  END LOOP;
  RETURN ((state >> ${sequenceBits}) << ${shift('timestamp')}) | ((block & ${layout.maxWorkerId}) << ${shift('worker')})
    | ((state & ${layout.maxSequence}) << ${shift('sequence')})${datacenter === 0n ? '' : ` | ${datacenter}`};
END $$`;
}

/** Expression: the tick of the database's clock. */
function presentTick({ epochMs, tickMs }: BitLayout): string {
  return `floor((date_part('epoch', clock_timestamp()) * 1000 - ${epochMs}) / ${tickMs})::bigint`;
}

function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
