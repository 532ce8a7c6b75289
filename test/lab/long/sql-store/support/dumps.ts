import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { CleanUp } from '../../../../support/clean-up.js';
import { serverAccount } from '../../../../support/servers/account.js';
import { requireBinary, requirePostgresFolder } from '../../../../support/servers/binaries.js';
import type { DatabaseServer } from '../../../../support/servers/index.js';
import { makeDirectory, removeDirectory } from '../../../../support/servers/server-process.js';
import type { ReplicatedKind } from '../../../../integration/sql-store/support/replicated-database.js';

const TIMEOUT_MS = 120_000;

const postgres = ({ port }: DatabaseServer): string[] =>
  `-h 127.0.0.1 -p ${port} -U postgres -d postgres`.split(' ');

const mariadb = ({ port }: DatabaseServer): string[] =>
  `-h 127.0.0.1 -P ${port} -usnowflake -psnowflake`.split(' ');

const postgresBinary = (name: string): string => join(requirePostgresFolder(serverAccount('postgres')), name);

/** Dumps tables into a file, as an operator does. `more` are options of the program. Resolves to the file. */
export async function dumpTables(
  cleanUp: CleanUp,
  kind: ReplicatedKind,
  server: DatabaseServer,
  tables: readonly string[],
  ...more: readonly string[]
): Promise<string> {
  const folder = makeDirectory('dump');
  cleanUp(() => removeDirectory(folder));
  const file = join(folder, 'dump.sql');
  if (kind === 'MariaDB') {
    const rest = [`--result-file=${file}`, 'test', ...tables, ...more];
    await run(requireBinary('mariadb-dump'), [...mariadb(server), ...rest]);
  } else {
    const chosen = tables.flatMap((table) => ['-t', table]);
    await run(postgresBinary('pg_dump'), [...postgres(server), '-f', file, ...chosen, ...more]);
  }
  return file;
}

/** Executes a dump. */
export function loadDump(kind: ReplicatedKind, server: DatabaseServer, file: string): Promise<void> {
  return kind === 'MariaDB'
    ? run(requireBinary('mariadb'), [...mariadb(server), '-e', `source ${file}`, 'test'])
    : run(postgresBinary('psql'), [...postgres(server), '-f', file]);
}

async function run(program: string, options: readonly string[]): Promise<void> {
  await promisify(execFile)(program, options, { timeout: TIMEOUT_MS });
}
