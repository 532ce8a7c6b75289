import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import libsql from 'libsql';
import { isConflict, means } from '../errors.js';
import { SqliteClient } from './sqlite-client.js';

/** Node 20 has no SQLite of its own. */
const builtIn: unknown = process.getBuiltinModule('node:sqlite');
const DRIVERS: readonly (readonly [name: string, driver: unknown])[] = [
  ['libsql', libsql],
  ...(builtIn === undefined ? [] : [['node:sqlite', builtIn] as const]),
];

describe.each(DRIVERS)('a connection to SQLite with %s', (_name, driver) => {
  let folder: string;
  const clients: SqliteClient[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'snowflake-client-'));
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.destroy();
    rmSync(folder, { recursive: true });
  });

  async function connected(): Promise<SqliteClient> {
    const options = { type: 'better-sqlite3', database: join(folder, 'new', 'ids.sqlite'), driver };
    const client = new SqliteClient({ options, connectionName: 'test', connectTimeoutMs: 1000 });
    clients.push(client);
    await client.connect();
    return client;
  }

  const failureOf = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => undefined,
      (error) => error,
    );

  it('returns rows of what reads, and counts the rows of what writes', async () => {
    const client = await connected();
    await client.query('CREATE TABLE ids (id integer PRIMARY KEY)', []);
    expect(await client.query('INSERT INTO ids VALUES (?), (?)', [1, 2])).toEqual({ rows: [], affected: 2 });
    const { rows } = await client.query('SELECT id FROM ids WHERE id > ?', [1]);
    expect(rows.map((row) => ({ ...row }))).toEqual([{ id: 2 }]);
  });

  it('reports a lock, a key that exists and a missing table as such', async () => {
    const [first, second] = [await connected(), await connected()];
    await first.query('CREATE TABLE ids (id integer PRIMARY KEY)', []);
    await first.query('INSERT INTO ids VALUES (1)', []);
    expect(isConflict(await failureOf(first.query('INSERT INTO ids VALUES (1)', [])))).toBe(true);
    expect(means(await failureOf(first.query('SELECT * FROM missing', [])), 'missingTable')).toBe(true);
    await first.query('BEGIN IMMEDIATE', []);
    expect(isConflict(await failureOf(second.query('BEGIN IMMEDIATE', [])))).toBe(true);
  });

  it('commits after a lock has refused an attempt to begin', async () => {
    const [first, second] = [await connected(), await connected()];
    await first.query('CREATE TABLE ids (id integer PRIMARY KEY)', []);
    await first.query('BEGIN IMMEDIATE', []);
    await failureOf(second.query('BEGIN IMMEDIATE', []));
    await first.query('COMMIT', []);
    await second.query('BEGIN IMMEDIATE', []);
    await second.query('INSERT INTO ids VALUES (1)', []);
    await second.query('COMMIT', []);
    expect((await first.query('SELECT id FROM ids', [])).rows).toHaveLength(1);
  });
});
