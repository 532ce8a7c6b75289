import process from 'node:process';
import { snowflakeIds } from 'nestjs-snowflake/prisma';

/** The tables as `prisma migrate diff` makes them, without foreign keys. */
export const TABLES = {
  customers: { id: 'key', name: 'name', parent_id: 'id' },
  profiles: { id: 'key', bio: 'text', customer_id: 'id' },
  addresses: { customer_id: 'key', city: 'text' },
  orders: { id: 'key', note: 'text', customer_id: 'id' },
  lines: { line_id: 'key', sku: 'text', order_id: 'id' },
  parts: { id: 'key', name: 'text', line_id: 'id' },
  tags: { id: 'key', name: 'name' },
  careless: { id: 'default', note: 'text' },
  olds: { id: 'key' },
};
const TYPES = {
  key: 'BIGINT NOT NULL PRIMARY KEY',
  id: 'BIGINT',
  name: 'VARCHAR(100) NOT NULL UNIQUE',
  text: 'TEXT NOT NULL',
  default: 'BIGINT NOT NULL DEFAULT 0 PRIMARY KEY',
};

export const quotedBy = (provider) => (name) => (provider === 'mysql' ? `\`${name}\`` : `"${name}"`);

export async function createTables(client, provider) {
  const quoted = quotedBy(provider);
  for (const [table, columns] of Object.entries(TABLES)) {
    const list = Object.entries(columns).map(([name, type]) => `${quoted(name)} ${TYPES[type]}`);
    await client.$executeRawUnsafe(`DROP TABLE IF EXISTS ${quoted(table)}`);
    await client.$executeRawUnsafe(`CREATE TABLE ${quoted(table)} (${list.join(', ')})`);
  }
  const join = quoted('_OrderToTag');
  await client.$executeRawUnsafe(`DROP TABLE IF EXISTS ${join}`);
  const [a, b] = [quoted('A'), quoted('B')];
  await client.$executeRawUnsafe(
    `CREATE TABLE ${join} (${a} BIGINT NOT NULL, ${b} BIGINT NOT NULL, PRIMARY KEY (${a}, ${b}))`,
  );
}

/** @param {string} intMode of libsql */
async function adapterOf(provider, url, intMode) {
  if (provider === 'postgresql') {
    const { PrismaPg } = await import('@prisma/adapter-pg');
    return new PrismaPg({ connectionString: url });
  }
  if (provider === 'sqlite') {
    const { PrismaLibSql, PrismaLibSQL } = await import('@prisma/adapter-libsql');
    return new (PrismaLibSql ?? PrismaLibSQL)({ url, intMode });
  }
  const { PrismaMariaDb } = await import('@prisma/adapter-mariadb');
  const { hostname, port, username, password, pathname } = new URL(url);
  return new PrismaMariaDb({
    host: hostname,
    port: Number(port),
    user: username,
    password: decodeURIComponent(password),
    database: pathname.slice(1),
    connectionLimit: 4,
  });
}

/** Opens a client without extensions, and the models of its schema. */
export async function open(provider, url, intMode = 'bigint') {
  const { PrismaClient } = await import(`./out/generated/${provider}/client.js`);
  const { snowflakeModels } = await import(`./out/snowflake-models-${provider}.js`);
  const client = new PrismaClient({ adapter: await adapterOf(provider, url, intMode) });
  return {
    client,
    models: snowflakeModels,
    extend: (ids, models = snowflakeModels) => client.$extends(snowflakeIds(ids, models)),
  };
}

/** The code of the library's error that `work` ends with, or its message; undefined if it succeeds. */
export async function refusalOf(work) {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error.code?.startsWith?.('SNOWFLAKE_') ? error.code : (error.message ?? String(error));
  }
}

export const [, , PROVIDER, URL_OF_DATABASE] = process.argv;
