import { Segments, type SegmentStore, sqlSegmentStore } from 'nestjs-snowflake-segments';
import { mysql } from '../../snowflake/src/kit/sql/dialects/mysql.js';
import { postgres } from '../../snowflake/src/kit/sql/dialects/postgres.js';
import { makeDatabase, type TestDatabase } from '../../../test/integration/sql-store/support/databases.js';
import { waitFor } from '../../../test/support/wait.js';

const WAIT_MS = 20_000;
const SHORT = { callTimeoutMs: 1000 } as const;

describe.each(['PostgreSQL', 'MariaDB'] as const)(
  'a crowd of processes on %s [promise: segments]',
  (kind) => {
    let database: TestDatabase;
    let tableName: string;
    let tables = 0;
    let store: SegmentStore;
    const started: Segments[] = [];
    const held: (() => Promise<void>)[] = [];

    beforeAll(async () => {
      database = await makeDatabase(kind, 'segment-crowd');
    });
    beforeEach(async () => {
      tables += 1;
      tableName = `t_${tables}`;
      store = makeStore();
      store.open?.({ callTimeoutMs: WAIT_MS });
      for (const tag of ['stuck', 'free']) await store.create({ tag, first: 1, step: 1000 });
    });
    afterEach(async () => {
      for (const letGo of held.splice(0)) await letGo();
      await Promise.all(started.splice(0).map((segments) => segments.stop()));
      await store.close();
    });
    afterAll(() => database?.remove());

    function makeStore(): SegmentStore {
      return sqlSegmentStore({ dataSource: database.options, tableName, createTable: true });
    }

    function makeSegments(tags: readonly string[], options = {}): Segments {
      const segments = new Segments({ store: makeStore(), tags: [...tags], ...options });
      started.push(segments);
      return segments;
    }

    /** Executes these statements in a transaction that stays open. Returns what ends it. */
    async function hold(statements: readonly string[]): Promise<() => Promise<void>> {
      const runner = database.admin.createQueryRunner();
      await runner.startTransaction();
      for (const statement of statements) await runner.query(statement);
      const letGo = async (): Promise<void> => {
        if (runner.isReleased) return;
        await runner.rollbackTransaction();
        if (kind === 'MariaDB') await runner.query('DO RELEASE_ALL_LOCKS()');
        await runner.release();
      };
      held.push(letGo);
      return letGo;
    }

    const holdRow = (tag: string): Promise<() => Promise<void>> =>
      hold([`SELECT * FROM ${tableName} WHERE biz_tag = '${tag}' FOR UPDATE`]);

    /** Is first in the line of the newcomers of this tag. */
    const holdLine = (tag: string): Promise<() => Promise<void>> => {
      const line = { name: `snowflake:segments ${tag}`, waitMs: WAIT_MS, isNewcomer: true };
      return hold((kind === 'PostgreSQL' ? postgres : mysql).line?.(line) ?? []);
    };

    it('starts with one tag while others wait for another tag', async () => {
      await holdRow('stuck');
      for (let count = 0; count < 3; count += 1)
        void makeSegments(['stuck'])
          .start()
          .catch(() => undefined);
      const segments = makeSegments(['free'], { readyTimeoutMs: 10_000 });
      await segments.start();
      expect(segments.source('free').next()).toBe(1);
    }, 60_000);

    it('lets a process that has numbers pass by the newcomers of a tag', async () => {
      const segments = makeSegments(['free'], SHORT);
      await segments.start();
      const letGo = await holdLine('stuck');
      const newcomer = makeSegments(['stuck'], SHORT);
      let isReady = false;
      const starting = newcomer.start().then(() => (isReady = true));
      await segments.source('stuck').ready();
      await segments.source('free').ready(segments.source('free').status().left + 1);
      expect(isReady).toBe(false);
      await letGo();
      await starting;
    }, 60_000);

    it('returns the numbers that a source is granted after its stop has given up', async () => {
      const letGo = await holdRow('stuck');
      const segments = makeSegments([], { stopTimeoutMs: 100 });
      const source = segments.source('stuck');
      await source.stop();
      await letGo();
      await waitFor('the rest', WAIT_MS, async () => {
        const { tags } = await store.inspect();
        const { rests = [], held: segmentsHeld } = tags.find(({ tag }) => tag === 'stuck') ?? {};
        return rests[0]?.first === 1 && segmentsHeld?.length === 0;
      });
      const claim = { tag: 'stuck', token: 'next', count: 1, finished: [] };
      expect(await store.claim(claim)).toMatchObject({ outcome: 'granted', first: 1 });
    }, 60_000);
  },
);
