import { LEASE_TABLES } from '../stores/sql/lease-tables.js';
import { addToArray } from './arrays.js';
import type { App } from './app.js';
import { joined } from './app-files.js';
import { addImport } from './imports.js';
import type { Dialect, LeasePlace } from './lease-place.js';

/** How the lease tables come to be. */
export interface TablesPlan {
  /** Whether the store creates them when it connects. */
  readonly createsTables: boolean;
  /** A new file with SQL, if one is due. */
  readonly file?: { readonly path: string; readonly text: string };
  /** What the user does next. */
  readonly next?: string;
}

export const MIGRATION = 'CreateSnowflakeLeaseTables1767225600000';
const MIGRATION_FROM = 'nestjs-snowflake/typeorm';
const NAME = 'snowflake_lease_tables';
const TYPES: Readonly<Record<Dialect, 'postgres' | 'mysql' | 'mariadb' | 'better-sqlite3'>> = {
  postgres: 'postgres',
  mysql: 'mysql',
  mariadb: 'mariadb',
  sqlite: 'better-sqlite3',
};

/** Plans the tables in the app's own tool. Adds the migration to the sources that list migrations. */
export function planTables(app: App, place: LeasePlace, nowMs: number): TablesPlan {
  if (place.store !== 'sql') return { createsTables: false };
  if (place.over === 'dataSource') return planTypeOrm(app);
  if (place.dialect === 'sqlite') return { createsTables: true };
  const text = `${tablesSql(place.dialect, place.schema).join(';\n')};\n`;
  return { createsTables: false, ...(app.prisma ? inPrisma(app.prisma, text, nowMs) : inFile(place, text)) };
}

/** Returns the statements that create the tables. */
export function tablesSql(dialect: Dialect, schema?: string): readonly string[] {
  const { tables } = LEASE_TABLES.in({ type: TYPES[dialect], ...(schema === undefined ? {} : { schema }) });
  return [...(schema === undefined ? [] : [`CREATE SCHEMA IF NOT EXISTS ${schema}`]), ...tables.create];
}

function planTypeOrm({ typeOrm, manifest, packageManager }: App): TablesPlan {
  if (!typeOrm?.migrates) return { createsTables: true };
  for (const { source, options } of typeOrm.migrations) {
    addToArray(source, options, 'migrations', MIGRATION);
    addImport(source, MIGRATION, MIGRATION_FROM);
  }
  const add =
    typeOrm.migrations.length === 0
      ? `Add ${MIGRATION} from ${MIGRATION_FROM} to the \`migrations\` of the DataSource. `
      : '';
  const run = typeOrm.script !== undefined && manifest.scripts[typeOrm.script] !== undefined;
  return {
    createsTables: false,
    next: `${add}Run the migrations before the app starts${run ? `: ${packageManager} run ${typeOrm.script}` : '.'}`,
  };
}

function inPrisma(
  { folder, migrations }: NonNullable<App['prisma']>,
  text: string,
  nowMs: number,
): Omit<TablesPlan, 'createsTables'> {
  if (migrations.some((name) => name.endsWith(NAME))) return {};
  if (migrations.length === 0) {
    const path = joined(folder, `${NAME}.sql`);
    return {
      file: { path, text },
      next: `Create the lease tables: npx prisma db execute --file ${path}`,
    };
  }
  const stamp = new Date(nowMs).toISOString().slice(0, 19).replaceAll(/[-T:]/g, '');
  return {
    file: { path: joined(folder, 'migrations', `${stamp}_${NAME}`, 'migration.sql'), text },
    next: 'Run the migrations before the app starts: npx prisma migrate deploy',
  };
}

function inFile(
  { dialect, variable }: Extract<LeasePlace, { over: 'url' }>,
  text: string,
): Omit<TablesPlan, 'createsTables'> {
  const path = `sql/${NAME}.sql`;
  const run = dialect === 'postgres' ? `: psql "$${variable}" -f ${path}` : `. Run ${path}`;
  return { file: { path, text }, next: `Create the lease tables${run}` };
}
