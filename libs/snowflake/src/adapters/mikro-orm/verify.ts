import { seeDocs } from '../../core/see-docs.js';
import { InvalidOptionError } from '../../core/errors/input-errors.js';
import { LossyDriverError } from '../../core/errors/setup-errors.js';
import { requireMethods } from '../../core/options/option-checks.js';
import { PROBE } from '../../kit/sql/column-families.js';
import { type OrmSchemaGenerator, requireKeptTables } from './kept-tables.js';
import { SNOWFLAKE } from './snowflake-properties.js';

/** The part of a property of an entity that is checked. */
export interface OrmProperty {
  readonly name: string;
  readonly primary?: boolean;
  readonly autoincrement?: boolean;
  readonly customType?: object;
}

/** The part of the metadata of an entity that is checked. */
export interface OrmEntity {
  readonly className: string;
  readonly props: readonly OrmProperty[];
}

/** The part of a `MikroORM` that is checked. */
export interface SnowflakeOrm {
  readonly config: {
    get(option: 'dbName'): string | undefined;
    get(option: 'schemaGenerator'): OrmSchemaGenerator | undefined;
  };
  readonly em: { getConnection(): { execute(sql: string, parameters?: string[]): Promise<unknown> } };
  getMetadata(): Iterable<OrmEntity>;
}

const REMEDY =
  'Let the driver return 64-bit integers exactly. On SQLite, call prepareDatabase() with the database of the driver. ' +
  seeDocs('guides/other-orms', 'MikroORM');

/**
 * Refuses a key whose column would get a sequence, such as one that is declared with `snowflakeReference()`, and a driver that rounds
 * 64-bit integers. Also refuses a schema generator that would drop the tables of the library in this database. Call it while the app
 * starts, before it writes the first row. It sends two queries, which work on PostgreSQL, MySQL, MariaDB and SQLite.
 *
 * @throws InvalidOptionError, LossyDriverError
 */
export async function verifySnowflakeOrm(orm: SnowflakeOrm): Promise<void> {
  requireMethods('orm', orm, ['getMetadata'], 'Pass a MikroORM: await MikroORM.init({ … }).');
  for (const { className, props } of orm.getMetadata()) {
    for (const prop of props) requireNoSequence(`${className}.${prop.name}`, prop);
  }
  // Without a cast, whose type has another name in each, PostgreSQL, MySQL, MariaDB and SQLite take it for a 64-bit integer.
  const connection = orm.em.getConnection();
  const rows = (await connection.execute(`SELECT ${PROBE} AS probe`)) as { probe?: unknown }[];
  const probe = String(rows[0]?.probe);
  if (probe !== PROBE) throw new LossyDriverError('MikroORM', probe, REMEDY);
  await requireKeptTables(
    (sql, parameters) => connection.execute(sql, parameters),
    String(orm.config.get('dbName')),
    orm.config.get('schemaGenerator'),
  );
}

/** @throws InvalidOptionError */
function requireNoSequence(label: string, { primary, autoincrement, customType = {} }: OrmProperty): void {
  if (!(SNOWFLAKE in customType) || !primary || !autoincrement) return;
  throw new InvalidOptionError(
    `${label}.autoincrement`,
    autoincrement,
    'makes the database number rows 1, 2, 3 if they are written without an ID',
    'Declare the key by snowflakeKey() without changing its autoincrement: false.',
  );
}
