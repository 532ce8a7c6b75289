// Runs `drizzle-kit push`: node columns/push.mjs <postgres | mariadb> <url> [careless]
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import process from 'node:process';

const [, , database, url, careless] = process.argv;
const [dialect, core, type] =
  database === 'postgres' ? ['postgresql', 'pg', 'pg'] : ['mysql', 'mysql', 'mysql'];

// Without a key: on MariaDB, this version adds it again by each push, which fails.
writeFileSync(
  'drizzle-schema.mjs',
  `import { customType, ${core}Table } from 'drizzle-orm/${core}-core';
   import { snowflakeType } from 'nestjs-snowflake/drizzle';
   const snowflake = customType(snowflakeType('${type}'));
   export const orders = ${core}Table('orders', { id: snowflake('id').notNull() });`,
);
const config = {
  dialect,
  schema: './drizzle-schema.mjs',
  dbCredentials: { url: url.replace(/^mariadb:/, 'mysql:') },
  ...(careless ? {} : { tablesFilter: ['!snowflake_*'] }),
};
writeFileSync('drizzle.config.json', JSON.stringify(config));
const push = ['push', '--force', '--config', 'drizzle.config.json'];
const { stdout, stderr } = spawnSync('drizzle-kit', push, { encoding: 'utf8' });
if (!/changes applied/i.test(stdout)) throw new Error(stdout + stderr);
