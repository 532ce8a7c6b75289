// Runs the commands of MikroORM: node schema.mjs <postgres | mariadb | sqlite> <url> [careless]
// Or prints what a migration of an app whose rows were numbered would contain: node schema.mjs … <bridge | final>
import * as core from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { snowflakeProperties } from 'nestjs-snowflake/mikro-orm';
import { LateIdMaker } from 'nestjs-snowflake/standalone';
import process from 'node:process';

const [, , database, url, mode] = process.argv;
const driver = { postgres: 'postgresql', mariadb: 'mariadb', sqlite: 'libsql' }[database];
const { MikroORM } = await import(`@mikro-orm/${driver}`);
const { snowflakeKey, snowflakeReference } = snowflakeProperties(core, new LateIdMaker());

// On MySQL and MariaDB, MikroORM declares keys that count as unsigned.
const key = () =>
  mode === 'bridge' ? { ...snowflakeReference(), primary: true, unsigned: false } : snowflakeKey();

const entities = [
  new core.EntitySchema({ name: 'Customer', tableName: 'customers', properties: { id: key() } }),
  new core.EntitySchema({
    name: 'Order',
    tableName: 'orders',
    properties: {
      id: key(),
      customer: { kind: 'm:1', entity: () => 'Customer' },
    },
  }),
];
const orm = await MikroORM.init({
  ...(database === 'sqlite' ? { dbName: url } : { clientUrl: url }),
  entities,
  extensions: [Migrator],
  migrations: { path: `./migrations-${process.pid}`, emit: 'cjs', snapshot: false, transactional: false },
  ...(mode === 'careless' ? {} : { schemaGenerator: { skipTables: [/^snowflake_/] } }),
  logger: () => undefined,
});
const schema = orm.schema;
if (mode === 'careless' || mode === undefined) {
  const migrator = orm.migrator;
  // The first of each pair is that of MikroORM 7.
  await (migrator.create ?? migrator.createMigration).call(migrator);
  await migrator.up();
  await (schema.update ?? schema.updateSchema).call(schema);
  await (schema.refresh ?? schema.refreshDatabase).call(schema);
  await (schema.drop ?? schema.dropSchema).call(schema);
} else {
  const sql = await schema.getUpdateSchemaSQL({ wrap: false });
  console.log(JSON.stringify(sql.split('\n').filter(Boolean)));
}
await orm.close(true);
