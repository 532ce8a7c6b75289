import type { LeaseStore } from 'nestjs-snowflake';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { MarkdownPage } from '../docs/markdown.js';
import { claimOf, firstRequest, granted, request } from '../integration/redis-store/requests.js';
import { KINDS, makeDatabase, type TestDatabase } from '../integration/sql-store/support/databases.js';
import { cleanUpAfterEach } from '../support/clean-up.js';

const SKEW = { maxSkewMs: 5000 };
const LONG = { ...SKEW, windowMs: 120_000 };
const SHORT = { ...SKEW, windowMs: 30_000 };

const cleanUp = cleanUpAfterEach();

/** The statement of a page that contains these words. */
function printed(path: string, words: string): string {
  const statements = MarkdownPage.read(path)
    .blocksIn('sql')
    .map(({ text }) => text);
  const found = statements.filter((statement) => statement.includes(words));
  expect(found).toHaveLength(1);
  return found[0] ?? '';
}

const SHORTEN = printed('docs/operations/upgrading.md', 'longest_window_ms');
const FORGET_SKEW = printed('docs/operations/upgrading.md', 'longest_max_skew_ms');
const RESTORED = printed('docs/operations/restoring-a-backup.md', 'history_id');

async function open(kind: (typeof KINDS)[number]): Promise<{ database: TestDatabase; store: LeaseStore }> {
  const database = await makeDatabase(kind, 'recipes');
  cleanUp(() => database.remove());
  const store = sqlLeaseStore({ dataSource: database.options, namespace: 'shop', createTable: true });
  cleanUp(() => store.close());
  await store.open?.({ callTimeoutMs: 30_000 });
  return { database, store };
}

describe.each(KINDS)('the statements that the pages for operators print, on %s', (kind) => {
  it('shortens the longest window, and so the next wait after a loss', async () => {
    const { database, store } = await open(kind);
    await granted(store.lease(firstRequest('a', LONG)));
    await database.admin.query(SHORTEN);
    await database.admin.query(RESTORED);
    const waitMs = SHORT.windowMs + SKEW.maxSkewMs;
    expect(await store.lease(request('b', SHORT))).toMatchObject({ outcome: 'wait', waitMs });
  });

  it('waits for the longer window without the first statement (control)', async () => {
    const { database, store } = await open(kind);
    await granted(store.lease(firstRequest('a', LONG)));
    await database.admin.query(RESTORED);
    const waitMs = LONG.windowMs + SKEW.maxSkewMs;
    expect(await store.lease(request('b', SHORT))).toMatchObject({ outcome: 'wait', waitMs });
  });

  it('forgets a maxSkewMs that was too long', async () => {
    const { database, store } = await open(kind);
    await granted(store.lease(firstRequest('a', { ...SHORT, maxSkewMs: 20_000 })));
    await database.admin.query(FORGET_SKEW);
    await database.admin.query(RESTORED);
    const waitMs = SHORT.windowMs + SKEW.maxSkewMs;
    expect(await store.lease(request('b', SHORT))).toMatchObject({ outcome: 'wait', waitMs });
  });

  it('makes new processes wait after a restored backup, and keeps the lease of a holder', async () => {
    const { database, store } = await open(kind);
    const holder = await granted(store.lease(firstRequest('a', SHORT)));
    await database.admin.query(RESTORED);
    expect(await store.lease(request('b', SHORT))).toMatchObject({ outcome: 'wait', reason: 'history' });
    expect(await store.lease(request('c', { ...SHORT, ...claimOf(holder) }))).toMatchObject({
      outcome: 'kept',
    });
  });
});
