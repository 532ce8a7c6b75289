import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseOptions, SqlLeaseStoreOptions } from 'nestjs-snowflake/sql';
import { safeReason } from 'nestjs-snowflake/internal/core/errors/foreign-error';
import { describeSql } from 'nestjs-snowflake/internal/stores/sql/sql-lease-store';
import { InvalidOptionError, SnowflakeError } from 'nestjs-snowflake/core';
import { kindOf } from 'nestjs-snowflake/internal/kit/sql/dialects/dialects';
import {
  means,
  NoHistory,
  refusalSubject,
  type RefusalSubject,
} from 'nestjs-snowflake/internal/kit/sql/errors';
import { showDurable, showLossy } from 'nestjs-snowflake/internal/kit/sql/history/lossy-settings';
import { type Finding, finding, type FindingCode } from './findings.js';
import { addressInUrl, type ServerAddress, type ServerKind, serverKindAt } from './server-kind.js';
import { type ServerReport, stopped } from './server-report.js';
import { type NeededRight, SqlProbe } from './sql-probe.js';

/** The options of a store whose DataSource is known. */
export type ResolvedSqlOptions = SqlLeaseStoreOptions & { readonly dataSource: DatabaseOptions };

const CODES: Readonly<Record<RefusalSubject, FindingCode>> = {
  tables: 'TABLES_MISSING',
  credentials: 'CREDENTIALS_REFUSED',
  database: 'DATABASE_MISSING',
  rights: 'RIGHTS_MISSING',
  file: 'RIGHTS_MISSING',
  pooling: 'STORE_REFUSES',
  format: 'WRONG_SERVER',
  driver: 'OPTIONS_INVALID',
  tls: 'STORE_REFUSES',
};
const EXAMINED = ['server', 'rights', 'tables'] as const;
const SERVERS: Readonly<Record<string, { readonly kind: ServerKind; readonly port: number }>> = {
  postgres: { kind: 'PostgreSQL', port: 5432 },
  mysql: { kind: 'MySQL or MariaDB', port: 3306 },
  mariadb: { kind: 'MySQL or MariaDB', port: 3306 },
};

/** Examines a database. Changes nothing, and takes no lease. */
export async function examineSql(options: ResolvedSqlOptions, timeoutMs: number): Promise<ServerReport> {
  const { dataSource, tableName } = options;
  let probe: SqlProbe;
  try {
    probe = new SqlProbe(dataSource, tableName, timeoutMs);
  } catch (error) {
    if (error instanceof InvalidOptionError) return stopped(finding('OPTIONS_INVALID', error.message));
    throw error;
  }
  try {
    await probe.connect();
    return await examineTables(probe, options);
  } catch (error) {
    return stopped(await failure(error, options, timeoutMs));
  } finally {
    probe.close();
  }
}

async function examineTables(probe: SqlProbe, options: ResolvedSqlOptions): Promise<ServerReport> {
  const lossy = await lossySettings(probe, options);
  // The store refuses to start.
  if (lossy.some(({ severity }) => severity === 'error')) return stopped(...lossy);
  const failed = await deniedRights(probe);
  const files = unwritableFolder(options.dataSource);
  if (failed.length > 0 || files) return stopped(...failed, ...(files ? [files] : []));
  try {
    await probe.requireTables();
  } catch (error) {
    if (refusalSubject(error) === 'tables' && options.createTable) return stopped();
    throw error;
  }
  const engine = await refusedEngine(probe, options);
  if (engine) return stopped(engine);
  const findings = [...lossy, ...(await otherSchemas(probe, options))];
  if (options.assumeNoLostWrites) return { findings, isReadable: true, examined: EXAMINED };
  const historyId = await probe.historyId();
  return { findings, historyId, isReadable: true, examined: [...EXAMINED, 'history'] };
}

async function lossySettings(
  probe: SqlProbe,
  { assumeNoLostWrites }: ResolvedSqlOptions,
): Promise<Finding[]> {
  const settings = await probe.lossySettings();
  if (settings.length === 0) return [];
  const problem = `${showLossy(settings)}.`;
  if (!assumeNoLostWrites) return [finding('COMMITS_MAY_BE_LOST', problem, { severity: 'warning' })];
  const remedy = `${showDurable(settings)}, or remove assumeNoLostWrites.`;
  return [finding('COMMITS_MAY_BE_LOST', `assumeNoLostWrites is true, but ${problem}`, { remedy })];
}

/** A search path decides which of several tables of one name a process uses, and nobody notices. */
async function otherSchemas(probe: SqlProbe, { dataSource, namespace }: ResolvedSqlOptions) {
  const schemas = await probe.schemasBeside(namespace);
  if (schemas.length === 0) return [];
  const names = schemas.map((name) => `"${name}"`).join(', ');
  const problem =
    `This process uses ${describeSql(kindOf(dataSource), namespace, await probe.place())}, but the same namespace is also in ` +
    `the schema ${names}. Processes in different schemas generate equal IDs.`;
  return [finding('NAMESPACE_TWICE', problem)];
}

/** Reports all missing rights at once. Any other failure is thrown. */
async function deniedRights(probe: SqlProbe): Promise<Finding[]> {
  const denied: (NeededRight & { readonly reason: string })[] = [];
  for (const needed of probe.neededRights()) {
    try {
      await probe.tryOut(needed.statement);
    } catch (error) {
      if (refusalSubject(error) === 'tables') return [];
      if (refusalSubject(error) !== 'rights') throw error;
      denied.push({ ...needed, reason: safeReason(error) });
    }
  }
  if (denied.length === 0) return [];
  const names = denied.map(({ right, table }) => `${right} on ${table}`).join(', ');
  const statements = denied.map(({ right, table }) => `GRANT ${right} ON ${table} TO …;`).join(' ');
  return [
    finding('RIGHTS_MISSING', `The user lacks the permissions ${names}: ${denied[0]?.reason}`, {
      remedy: `Run as the owner of the tables: ${statements}`,
    }),
  ];
}

/** SQLite writes a journal next to the file. */
function unwritableFolder({ type, database }: DatabaseOptions): Finding | undefined {
  if (type !== 'better-sqlite3' || typeof database !== 'string') return undefined;
  try {
    accessSync(dirname(database), constants.W_OK);
    return undefined;
  } catch (error) {
    return finding('RIGHTS_MISSING', `The folder of ${database} is not writable: ${safeReason(error)}`, {
      remedy: 'Make the file and its folder writable for the user of the app.',
    });
  }
}

async function refusedEngine(probe: SqlProbe, options: ResolvedSqlOptions): Promise<Finding | undefined> {
  try {
    await probe.requireSoundTables(describe(options), options.assumeNoLostWrites ?? false);
    return undefined;
  } catch (error) {
    if (error instanceof SnowflakeError) return finding('TABLE_ENGINE', error.message);
    throw error;
  }
}

async function failure(error: unknown, options: ResolvedSqlOptions, timeoutMs: number): Promise<Finding> {
  const problem = `${describe(options)}: ${safeReason(error)}`;
  if (error instanceof NoHistory) return finding('HISTORY_HIDDEN', problem);
  const subject = refusalSubject(error);
  if (subject === 'file' || subject === 'format')
    return finding(CODES[subject], problem, { remedy: fileRemedy(error) });
  if (subject !== undefined) return finding(CODES[subject], problem);
  if (means(error, 'readOnly')) return finding('READ_ONLY_SERVER', problem);
  const { dataSource } = options;
  const expected = SERVERS[dataSource.type];
  const address = addressOf(dataSource, expected?.port);
  const kind = address && (await serverKindAt(address, timeoutMs));
  if (address === undefined || kind === undefined || kind === expected?.kind)
    return finding('STORE_UNREACHABLE', problem);
  const remedy = 'Correct the type or the scheme of the URL, or the address.';
  const found = `The server at ${address.host}:${address.port} is ${kind}, not ${expected?.kind}.`;
  return finding('WRONG_SERVER', found, { remedy });
}

function fileRemedy(error: unknown): string {
  return /readonly/i.test(safeReason(error))
    ? 'Make the file and its folder writable for the user of the app.'
    : 'Correct the file name in the DataSource, or repair the file.';
}

function describe({ dataSource, namespace }: ResolvedSqlOptions): string {
  return describeSql(kindOf(dataSource), namespace);
}

function addressOf(options: DatabaseOptions, usualPort = 0): ServerAddress | undefined {
  const url: unknown = 'url' in options ? options.url : undefined;
  if (typeof url === 'string' && URL.canParse(url)) return addressInUrl(url, usualPort);
  const host: unknown = 'host' in options ? options.host : undefined;
  const port: unknown = 'port' in options ? options.port : undefined;
  return typeof host === 'string' ? { host, port: Number(port ?? usualPort) } : undefined;
}
