import { type ConnectionOptions, createConnection } from 'mysql2/promise';
import { CUSTOMER } from './session.js';

/** Returns an ID as mysql2 reads it. */
async function readWith(options: ConnectionOptions): Promise<unknown> {
  const { hostname: host, port, username: user, password, pathname } = new URL(process.env.MARIADB_URL!);
  const database = pathname.slice(1);
  const connection = await createConnection({
    host,
    port: Number(port),
    user,
    password,
    database,
    ...options,
  });
  try {
    const [rows] = await connection.query(`SELECT CAST(${CUSTOMER} AS SIGNED) AS id`);
    return (rows as { id: unknown }[])[0]?.id;
  } finally {
    await connection.end();
  }
}

const asThePageSays = await readWith({ supportBigNumbers: true, bigNumberStrings: true });
const byDefault = await readWith({});
console.log(JSON.stringify({ asThePageSays, byDefault: String(byDefault) }));
