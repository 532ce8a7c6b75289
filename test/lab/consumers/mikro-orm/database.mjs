import * as core from '@mikro-orm/core';

export const major = Number(core.Utils.getORMVersion().split('.')[0]);

/** Returns a MikroORM with fresh tables. */
export async function connect(dialect, url, entities, isExact = true) {
  const { MikroORM } = await import(`@mikro-orm/${dialect}`);
  const database = dialect === 'libsql' ? { dbName: url } : { clientUrl: url };
  const orm = await MikroORM.init({
    ...database,
    entities,
    ...(dialect === 'libsql' && isExact ? await exactIntegers(url) : {}),
  });
  const schema = orm.schema;
  await (schema.refresh ?? schema.refreshDatabase).call(schema);
  return orm;
}

/** MikroORM 6 gets connections from the pool of Knex, and 7 takes a dialect of Kysely. */
async function exactIntegers(file) {
  if (major === 6) {
    const afterCreate = (connection, created) => created(null, connection.defaultSafeIntegers(true));
    return { driverOptions: { pool: { afterCreate } } };
  }
  const { SqliteDialect } = await import('kysely');
  const { default: Database } = await import('libsql');
  return { driverOptions: new SqliteDialect({ database: new Database(file).defaultSafeIntegers(true) }) };
}
