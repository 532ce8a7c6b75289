import Database from 'libsql';
import { CUSTOMER } from './session.js';

const database = new Database(':memory:');

/** Returns the key of a row that is inserted without one into a table that has an ID, or `refused`. */
function keyWithoutId(column: string): unknown {
  database.exec(`CREATE TABLE orders (${column}, note text)`);
  try {
    database.exec(`INSERT INTO orders VALUES (${CUSTOMER}, 'with an ID')`);
    database.exec(`INSERT INTO orders (note) VALUES ('without')`);
    const row = database.prepare(`SELECT CAST(id AS text) AS id FROM orders WHERE note = 'without'`).get();
    return (row as { id: unknown }).id;
  } catch {
    return 'refused';
  } finally {
    database.exec('DROP TABLE orders');
  }
}

const columns = [
  'id bigint NOT NULL PRIMARY KEY',
  'id bigint PRIMARY KEY',
  'id integer NOT NULL PRIMARY KEY',
];
console.log(JSON.stringify(Object.fromEntries(columns.map((column) => [column, keyWithoutId(column)]))));
