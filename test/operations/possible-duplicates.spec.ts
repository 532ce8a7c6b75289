import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { DataSource } from 'typeorm';
import { runHere } from '../../libs/snowflake-cli/test/run-here.js';
import { BitLayout } from 'nestjs-snowflake/core';
import { codeIn, MarkdownPage } from '../docs/markdown.js';
import { type Kind, KINDS, makeDatabase } from '../integration/sql-store/support/databases.js';
import { cleanUpAfterEach } from '../support/clean-up.js';
import { requireBinary } from '../support/servers/binaries.js';
import { databaseFor } from '../support/servers/index.js';

const page = MarkdownPage.read('docs/operations/possible-duplicates.md');
const EPOCH_MS = new BitLayout().epochMs;

/** The ID of a worker ID at this time in the default layout. The tests compare numbers, which are exact to 64. */
const idAt = (time: string, workerId: number): string =>
  ((BigInt(Date.parse(time) - EPOCH_MS) << 22n) | (BigInt(workerId) << 12n)).toString();

const COPIED = idAt('2026-11-21T10:20:00Z', 17);
const OTHER_WORKER = idAt('2026-11-21T10:20:00Z', 18);
const BEFORE = idAt('2026-11-21T10:18:00Z', 17);
const AFTER = idAt('2026-11-21T10:22:00Z', 17);

const cleanUp = cleanUpAfterEach();

/** The statement of the page that contains these words. */
function printed(words: string): string {
  const statements = page.blocksIn('sql').filter(({ text }) => text.includes(words));
  expect(statements).toHaveLength(1);
  return statements[0]!.text;
}

async function insert(admin: DataSource, table: string, ...ids: string[]): Promise<void> {
  await admin.query(`INSERT INTO ${table} (id) VALUES ${ids.map((id) => `(${id})`).join(', ')}`);
}

/** Tables of a shop. `events` has no unique index. */
async function openShop(kind: Kind): Promise<DataSource> {
  const { admin, remove } = await makeDatabase(kind, 'possible duplicates');
  cleanUp(remove);
  const times = ['created_at', 'updated_at'].map((name) => `${name} TIMESTAMP DEFAULT CURRENT_TIMESTAMP`);
  await admin.query(`CREATE TABLE orders (id BIGINT PRIMARY KEY, ${times.join(', ')})`);
  await admin.query('CREATE TABLE events (id BIGINT)');
  await insert(admin, 'orders', BEFORE, COPIED, OTHER_WORKER, AFTER);
  return admin;
}

async function found(admin: DataSource, statement: string): Promise<number[]> {
  const rows = await admin.query<{ id: string | number | bigint }[]>(statement);
  return rows.map(({ id }) => Number(id));
}

describe.each(KINDS)('the statements of the page about duplicates on %s', (kind) => {
  it('find the IDs of a worker ID within the period', async () => {
    const admin = await openShop(kind);
    expect(await found(admin, printed('= 17'))).toEqual([Number(COPIED)]);
  });

  it('find equal IDs in a table without a unique index', async () => {
    const admin = await openShop(kind);
    await insert(admin, 'events', BEFORE, BEFORE, COPIED, OTHER_WORKER);
    expect(await found(admin, printed('FROM events'))).toEqual([]);
    await insert(admin, 'events', COPIED);
    expect(await found(admin, printed('FROM events'))).toEqual([Number(COPIED)]);
  });

  it('find a row that was overwritten', async () => {
    const admin = await openShop(kind);
    expect(await found(admin, printed('updated_at > created_at'))).toEqual([]);
    await admin.query(
      `UPDATE orders SET created_at = '2026-11-21 10:20:00', updated_at = '2026-11-21 10:20:05' WHERE id = ${COPIED}`,
    );
    expect(await found(admin, printed('updated_at > created_at'))).toEqual([Number(COPIED)]);
  });

  it('begin with the primary key, which refuses the second row with the error of the page', async () => {
    const admin = await openShop(kind);
    await insert(admin, 'orders', '382475217496248322');
    // In a list, so that the page has it indented.
    const [row = ''] = new RegExp(`^ +\\| ${kind}\\b.*$`, 'm').exec(page.text) ?? [];
    const shown = codeIn(row);
    await expect(insert(admin, 'orders', '382475217496248322')).rejects.toMatchObject({
      message: expect.stringContaining(shown.at(-1)!),
      ...(kind === 'PostgreSQL' && { code: shown[0] }),
      ...(kind === 'MariaDB' && { errno: Number(shown[0]) }),
    });
  });
});

describe('the commands of the page about duplicates', () => {
  it('print the bounds of the period that the statements use', async () => {
    const [block] = page.blocksIn('console');
    const [line = '', ...output] = block!.text.split('\n');
    const { stdout } = await runHere(line.replace('$ npx nestjs-snowflake-cli ', '').split(' '));
    expect(stdout).toBe(output.join('\n'));
    const [, first, before] = /first +(\d+)\nbefore +(\d+)/.exec(stdout)!;
    for (const { text } of [...page.blocksIn('sql'), ...page.blocksIn('sh')]) {
      const bounds = [...text.matchAll(/id >= (\d+) AND id < (\d+)/g)];
      expect(bounds.length).toBeGreaterThan(0);
      for (const each of bounds) expect(each.slice(1)).toEqual([first, before]);
    }
  });

  it('find equal IDs in two databases', async () => {
    requireBinary('psql');
    const urls = await Promise.all(
      [1, 2].map((shard) => databaseFor('postgres', `possible duplicates ${shard}`)),
    );
    for (const [shard, url] of urls.entries()) {
      const admin = await new DataSource({ type: 'postgres', url }).initialize();
      await admin.query('CREATE TABLE orders (id BIGINT PRIMARY KEY)');
      await insert(admin, 'orders', BEFORE, COPIED, ...(shard === 0 ? [OTHER_WORKER] : []));
      await admin.destroy();
    }
    const [script] = page.blocksIn('sh').map(({ text }) => text);
    const { stdout } = await promisify(execFile)('bash', ['-c', script!], {
      env: { ...process.env, SHARD_1_URL: urls[0], SHARD_2_URL: urls[1] },
    });
    expect(stdout).toBe(`${COPIED}\n`);
  });
});
