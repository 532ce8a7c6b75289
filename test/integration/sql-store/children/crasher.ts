/** A process that begins what a lease does, and is killed before it commits. Arguments: type, URL or file. */
import libsql from 'libsql';
import { DataSource } from 'typeorm';

const [type = '', place = ''] = process.argv.slice(2);
const dataSource = new DataSource(
  type === 'SQLite'
    ? { type: 'better-sqlite3', driver: libsql, database: place, enableWAL: true }
    : { type: type === 'MariaDB' ? 'mariadb' : 'postgres', url: place },
);
await dataSource.initialize();
const runner = dataSource.createQueryRunner();
await runner.query(type === 'SQLite' ? 'BEGIN IMMEDIATE' : 'BEGIN');
const lock = type === 'SQLite' ? '' : ' FOR UPDATE';
await runner.query(`SELECT * FROM snowflake_lease_namespace WHERE namespace = 'shop'${lock}`);
await runner.query('UPDATE snowflake_lease_namespace SET fresh_worker_id = 500');
await runner.query("INSERT INTO snowflake_lease VALUES ('shop', 499, 5000000000000, 'half done', 1)");
process.send?.('begun');
process.on('message', () => undefined);
