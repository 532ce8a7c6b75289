// Runs a migration forth and back: node schema-knex.mjs <postgres | mariadb> <url>
import knex from 'knex';
import process from 'node:process';

const [, , database, url] = process.argv;
const db = knex({
  client: database === 'postgres' ? 'pg' : 'mysql2',
  connection: url.replace(/^mariadb:/, 'mysql:'),
});
const migration = {
  up: (schema) => schema.schema.createTable('orders', (table) => table.bigInteger('id').primary()),
  down: (schema) => schema.schema.dropTable('orders'),
};
const migrationSource = {
  getMigrations: async () => ['first'],
  getMigrationName: (name) => name,
  getMigration: async () => migration,
};
await db.migrate.latest({ migrationSource });
await db.migrate.rollback({ migrationSource }, true);
await db.destroy();
