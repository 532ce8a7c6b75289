import Database from 'libsql';

const database = new Database(':memory:');

/** Returns what a key gets in a row that is inserted without one: a number, `null`, or `refused`. */
function keyWithoutId(column: string): unknown {
  database.exec(`CREATE TABLE orders (${column}, note text)`);
  try {
    database.exec(`INSERT INTO orders (note) VALUES ('x')`);
    return (database.prepare('SELECT id FROM orders').get() as { id: unknown }).id;
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
