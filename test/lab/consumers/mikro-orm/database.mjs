import * as core from '@mikro-orm/core';
import process from 'node:process';

const isMikroOrm6 = core.Utils.getORMVersion().startsWith('6.');

/** Returns a MikroORM with fresh tables. */
export async function connect(dialect, url, entities, isExact = true) {
  const { MikroORM } = await import(`@mikro-orm/${dialect}`);
  const database = dialect === 'libsql' ? await sqlite(url, isExact) : { clientUrl: url };
  const orm = await MikroORM.init({ ...database, entities });
  await (orm.schema.refresh ?? orm.schema.refreshDatabase).call(orm.schema);
  return orm;
}

/** The options of the page, or those of people who didn't read it. */
async function sqlite(file, isExact) {
  process.env.DATABASE_FILE = file;
  const page = await import(isMikroOrm6 ? './mikro-orm/sqlite-6.js' : './mikro-orm/sqlite.js');
  return { dbName: file, driverOptions: isExact ? page.driverOptions : {} };
}
