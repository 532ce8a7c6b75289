import { createHash } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import libsql from 'libsql';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { databaseFor, freePort, startPostgres } from '../../../support/servers/index.js';
import { waitFor } from '../../../support/wait.js';
import {
  diagnose,
  expectFindings,
  Files,
  operate,
  PASSWORD,
  PASSWORD_IN_URL,
} from '../../../../libs/snowflake-cli/test/operator.js';
import { cleanUpAfterEach } from '../../../support/clean-up.js';

const TIMEOUT_MS = 300_000;
const NAMESPACE = ['--namespace', 'shop'];

const files = new Files();
const cleanUp = cleanUpAfterEach();
let users = 0;

afterAll(() => files.remove());

async function admin(options: DataSourceOptions): Promise<DataSource> {
  const made = await new DataSource(options).initialize();
  cleanUp(() => made.destroy());
  return made;
}

/** The servers of all tests are fast instead of durable. */
const KNOWN = ['--accept', 'COMMITS_MAY_BE_LOST'];

const examine = (url: string, ...more: string[]) =>
  diagnose(['--database', url, ...NAMESPACE, ...KNOWN, ...more]);
const examineApp = (options: string) => diagnose(['--options', options, ...KNOWN]);

async function initialize(url: string): Promise<void> {
  const end = await operate(['init', '--yes', '--create-table', '--database', url, ...NAMESPACE]);
  expect(end.stderr).toBe('');
  expect(end.code).toBe(0);
}

/** A database with an initialized namespace, its operator, and the URL of another user with the given rights. */
async function database(kind: 'postgres' | 'mariadb') {
  const url = await databaseFor(kind, 'doctor');
  await initialize(url);
  const operator = await admin({ type: kind, url });
  const withRights = async (...rights: [string, string][]): Promise<string> => {
    const name = `doctor_${process.pid}_${++users}`;
    const to = kind === 'postgres' ? name : `'${name}'@'127.0.0.1'`;
    const identified = kind === 'postgres' ? `PASSWORD '${PASSWORD}'` : `IDENTIFIED BY '${PASSWORD}'`;
    await operator.query(`CREATE USER ${to} ${identified}`);
    cleanUp(async () => {
      if (kind === 'postgres') await operator.query(`DROP OWNED BY ${name}`);
      await operator.query(`DROP USER ${to}`);
    });
    for (const [right, table] of rights) await operator.query(`GRANT ${right} ON ${table} TO ${to}`);
    const own = new URL(url);
    own.username = name;
    own.password = PASSWORD_IN_URL;
    return own.href;
  };
  return { url, operator, withRights };
}

const ALL: [string, string][] = ['snowflake_lease', 'snowflake_lease_namespace'].flatMap((table) =>
  ['SELECT', 'INSERT', 'UPDATE'].map((right): [string, string] => [right, table]),
);

async function sqlite(): Promise<{ url: string; file: string }> {
  const file = files.path(`ids-${++users}.sqlite`);
  await initialize(`sqlite:${file}`);
  return { url: `sqlite:${file}`, file };
}

describe.each(['postgres', 'mariadb'] as const)('the doctor on %s', (kind) => {
  it(
    'finds nothing in a healthy setup, with the rights of a store alone, and changes nothing',
    async () => {
      const { operator, withRights } = await database(kind);
      const url = await withRights(...ALL);
      const rows = () =>
        Promise.all(
          ['snowflake_lease', 'snowflake_lease_namespace'].map((table) =>
            operator.query(`SELECT * FROM ${table}`),
          ),
        );
      const before = await rows();
      expect(before.flat()).not.toEqual([]);

      expectFindings(await examine(url));

      expect(await rows()).toEqual(before);
    },
    TIMEOUT_MS,
  );

  it(
    'names every missing right, and needs none of them for the examination',
    async () => {
      const { withRights } = await database(kind);
      const looking = await withRights(...ALL.filter(([right]) => right === 'SELECT'));
      expectFindings(await examine(looking), {
        code: 'RIGHTS_MISSING',
        problem: expect.stringMatching(
          /INSERT on .snowflake_lease_namespace., INSERT on .snowflake_lease., UPDATE on .*, UPDATE on /,
        ),
        remedy: expect.stringContaining('GRANT INSERT ON'),
      });
      const workers = await operate(['workers', '--database', looking, ...NAMESPACE]);
      expect(workers).toMatchObject({ code: 0, stdout: expect.stringContaining('released') });
      expectFindings(await examine(await withRights()), { code: expect.stringMatching(/RIGHTS|DATABASE/) });
    },
    TIMEOUT_MS,
  );

  it(
    'finds a user that is refused, a missing database, missing tables, and a server that does not answer',
    async () => {
      const url = new URL(await databaseFor(kind, 'doctor'));
      const changed = (change: Partial<Pick<URL, 'username' | 'password' | 'pathname' | 'port'>>) =>
        Object.assign(new URL(url), change).href;
      const stranger = changed({ username: 'stranger', password: PASSWORD_IN_URL });
      expectFindings(await examine(stranger), { code: 'CREDENTIALS_REFUSED' });
      const passwordFirst = changed({ username: PASSWORD_IN_URL, password: '' });
      expectFindings(await examine(passwordFirst), {
        code: 'CREDENTIALS_REFUSED',
        problem: expect.stringContaining(`${kind} namespace "shop": `),
      });
      expectFindings(await examine(changed({ pathname: '/nowhere' })), { code: 'DATABASE_MISSING' });
      expectFindings(await examine(url.href), {
        code: 'TABLES_MISSING',
        remedy: expect.stringContaining('CreateSnowflakeLeaseTables1767225600000'),
      });
      const gone = changed({ port: String(await freePort()), password: PASSWORD_IN_URL });
      expectFindings(await examine(gone), { code: 'STORE_UNREACHABLE' });
    },
    TIMEOUT_MS,
  );

  it(
    'finds settings with which a crash loses commits: an error if the store assumes that it loses none',
    async () => {
      const { url } = await database(kind);
      const setting = kind === 'postgres' ? 'fsync' : 'innodb_flush_log_at_trx_commit';
      expectFindings(await diagnose(['--database', url, ...NAMESPACE]), {
        code: 'COMMITS_MAY_BE_LOST',
        severity: 'warning',
        problem: expect.stringContaining(setting),
        remedy: expect.stringContaining('wait'),
      });
      const store = `{ namespace: 'shop', dataSource: { type: '${kind}', url: '${url}' }, assumeNoLostWrites: true }`;
      expectFindings(await diagnose(['--options', files.options(`{ store: sqlLeaseStore(${store}) }`)]), {
        code: 'COMMITS_MAY_BE_LOST',
        severity: 'error',
        problem: expect.stringContaining(setting),
        remedy: expect.stringContaining(`Set ${setting}`),
      });
    },
    TIMEOUT_MS,
  );

  it(
    'finds a server of another kind',
    async () => {
      const other = kind === 'postgres' ? 'mariadb' : 'postgres';
      const { host } = new URL(await databaseFor(other, 'doctor'));
      const url = `${kind}://app:${PASSWORD_IN_URL}@${host}/orders`;
      expectFindings(await examine(url, '--timeout-ms', '1500'), {
        code: 'WRONG_SERVER',
        problem: expect.stringContaining(other === 'postgres' ? 'is PostgreSQL' : 'is MySQL or MariaDB'),
      });
    },
    TIMEOUT_MS,
  );
});

describe('the doctor on PostgreSQL alone', () => {
  it(
    'finds the same namespace in a second schema, and names both',
    async () => {
      const { url, operator } = await database('postgres');
      await operator.query('CREATE SCHEMA tenant');
      await operator.query('CREATE TABLE tenant.snowflake_lease_namespace (LIKE snowflake_lease_namespace)');
      expectFindings(await examine(url));
      await operator.query(
        'INSERT INTO tenant.snowflake_lease_namespace SELECT * FROM snowflake_lease_namespace',
      );
      expectFindings(await examine(url), {
        code: 'NAMESPACE_TWICE',
        severity: 'error',
        problem: expect.stringMatching(/postgres schema "public" namespace "shop".*the schema "tenant"/),
      });
      const workers = await operate(['workers', '--database', url, ...NAMESPACE]);
      expect(workers.stdout).toContain('postgres schema "public" namespace "shop"');
    },
    TIMEOUT_MS,
  );

  it(
    'finds a replica',
    async () => {
      const primary = await startPostgres();
      cleanUp(() => primary.stop());
      await initialize(primary.url);
      const replica = await startPostgres({ replicaOf: primary });
      cleanUp(() => replica.stop());
      const reader = await admin({ type: 'postgres', url: replica.url });
      await waitFor('the replica', TIMEOUT_MS, async () => (await reader.query('SELECT 1')).length === 1);
      expectFindings(await examine(replica.url), {
        code: 'READ_ONLY_SERVER',
        remedy: expect.stringContaining('primary'),
      });
    },
    TIMEOUT_MS,
  );

  it(
    'finds a server that hides its history',
    async () => {
      const server = await startPostgres();
      cleanUp(() => server.stop());
      await initialize(server.url);
      const operator = await admin({ type: 'postgres', url: server.url });
      await operator.query('REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC');
      await operator.query('CREATE USER app');
      for (const [right, table] of ALL) await operator.query(`GRANT ${right} ON ${table} TO app`);
      expectFindings(await examine(server.url.replace('postgres@', 'app@')), {
        code: 'HISTORY_HIDDEN',
        remedy: expect.stringContaining('assumeNoLostWrites'),
      });
    },
    TIMEOUT_MS,
  );
});

it(
  'finds a table of MariaDB whose engine locks no rows',
  async () => {
    const { url, operator } = await database('mariadb');
    await operator.query('ALTER TABLE snowflake_lease ENGINE=MyISAM');
    expectFindings(await examine(url), {
      code: 'TABLE_ENGINE',
      problem: expect.stringContaining('ALTER TABLE snowflake_lease ENGINE=InnoDB'),
    });
  },
  TIMEOUT_MS,
);

describe('the doctor on SQLite', () => {
  it(
    'finds nothing in a healthy file, and changes no byte of it',
    async () => {
      const { url, file } = await sqlite();
      const sum = () => createHash('sha256').update(readFileSync(file)).digest('hex');
      const before = sum();
      expectFindings(await examine(url));
      expect(sum()).toBe(before);
    },
    TIMEOUT_MS,
  );

  it(
    'finds a missing file without creating it, a file that is something else, and one that is read-only',
    async () => {
      const missing = files.path('missing.sqlite');
      expectFindings(await examine(`sqlite:${missing}`), { code: 'DATABASE_MISSING' });
      expect(() => readFileSync(missing)).toThrow('ENOENT');
      const text = files.path('text.sqlite');
      writeFileSync(text, 'not a database, but long enough to be read as the header of one. '.repeat(20));
      expectFindings(await examine(`sqlite:${text}`), {
        code: 'WRONG_SERVER',
        remedy: expect.stringContaining('Correct the file name'),
      });
      const { file } = await sqlite();
      chmodSync(file, 0o444);
      chmodSync(dirname(file), 0o555);
      cleanUp(() => chmodSync(dirname(file), 0o755));
      const dataSource = `{ type: 'better-sqlite3', driver: libsql, database: '${file}', prepareDatabase }`;
      const store = `{ store: sqlLeaseStore({ namespace: 'shop', dataSource: ${dataSource} }) }`;
      // Written elsewhere: this folder takes no new file.
      const elsewhere = new Files();
      cleanUp(() => elsewhere.remove());
      const reader = elsewhere.options(elsewhere.asStranger(store));
      expectFindings(await examineApp(reader), {
        code: 'RIGHTS_MISSING',
        remedy: expect.stringContaining('writable'),
      });
    },
    TIMEOUT_MS,
  );
});

describe('the doctor on the driver', () => {
  const appOn = (dataSource: string) =>
    files.options(`{ store: sqlLeaseStore({ namespace: 'shop', dataSource: ${dataSource} }) }`);

  it(
    'finds drivers that round 64-bit integers',
    async () => {
      const postgres = await database('postgres');
      expectFindings(await examineApp(appOn(`{ type: 'postgres', url: '${postgres.url}' }`)));
      const parsing = appOn(`{ type: 'postgres', url: '${postgres.url}', parseInt8: true }`);
      expectFindings(await examineApp(parsing), {
        code: 'DRIVER_ROUNDS',
        severity: 'error',
        problem: expect.stringContaining('9007199254740992'),
        remedy: expect.stringContaining('parseInt8'),
      });
      const mariadb = await database('mariadb');
      const rounding = appOn(`{ type: 'mariadb', url: '${mariadb.url}', supportBigNumbers: false }`);
      expectFindings(await examineApp(rounding), {
        code: 'DRIVER_ROUNDS',
        severity: 'error',
        remedy: expect.stringContaining('supportBigNumbers'),
      });
      const { file } = await sqlite();
      const plain = appOn(`{ type: 'better-sqlite3', driver: libsql, database: '${file}' }`);
      expectFindings(await examineApp(plain), { code: 'DRIVER_ROUNDS', severity: 'warning' });
    },
    TIMEOUT_MS,
  );

  it(
    'compares the columns of the entities with the database, and changes no schema',
    async () => {
      const { file, url } = await sqlite();
      const operator = await admin({ type: 'better-sqlite3', driver: libsql, database: file });
      await operator.query('CREATE TABLE "order" (id integer PRIMARY KEY)');
      const orm = (more: string) =>
        files.options(
          `{ type: 'better-sqlite3', driver: libsql, database: '${file}', synchronize: true, ${more}` +
            ` entities: [snowflakeSchema(new EntitySchema({ name: 'order', columns: { id: snowflakeColumn({ primary: true }) } }))] }`,
        );
      const given = (reference: string) => ['--database', url, ...NAMESPACE, '--data-source', reference];
      expectFindings(await diagnose(given(orm('prepareDatabase,'))), {
        code: 'COLUMN_TYPE',
        problem: expect.stringMatching(/order.id is integer/i),
      });
      expectFindings(await diagnose(given(orm(''))), { code: 'DRIVER_ROUNDS', severity: 'error' });
      const ofSchema = (schema: string) =>
        files.options(
          `{ type: 'better-sqlite3', driver: libsql, database: '${file}', prepareDatabase, entities: [${schema}] }`,
        );
      const ids = '{ id: snowflakeColumn({ primary: true }), parent: snowflakeColumn() }';
      const absent = `snowflakeSchema(new EntitySchema({ name: 'invoice', columns: ${ids} }))`;
      const notThere = await diagnose(given(ofSchema(absent)));
      expectFindings(notThere, {
        code: 'COLUMNS_NOT_FOUND',
        severity: 'warning',
        problem: expect.stringContaining('invoice.id, invoice.parent'),
      });
      expect(notThere.examined).toContain('2 Snowflake columns of 1 entity');
      expectFindings(
        await diagnose(given(ofSchema(`new EntitySchema({ name: 'invoice', columns: ${ids} })`))),
        {
          code: 'OPTIONS_INVALID',
          severity: 'error',
          problem: expect.stringContaining('snowflakeSchema('),
        },
      );
      const plain = `new EntitySchema({ name: 'invoice', columns: { id: { type: 'varchar', primary: true } } })`;
      expectFindings(await diagnose(given(ofSchema(plain))), { code: 'COLUMNS_NOT_FOUND' });
      const [{ sql }] = await operator.query(`SELECT sql FROM sqlite_master WHERE name = 'order'`);
      expect(sql).toBe('CREATE TABLE "order" (id integer PRIMARY KEY)');
    },
    TIMEOUT_MS,
  );
});
