import { readFileSync, writeFileSync } from 'node:fs';
import {
  Segments,
  type SegmentStore,
  sqlSegmentStore,
  type SqlSegmentStoreOptions,
} from 'nestjs-snowflake-segments';
import {
  KINDS,
  makeDatabase,
  type TestDatabase,
} from '../../../test/integration/sql-store/support/databases.js';

const claimOf = (token: string, count = 10) => ({ tag: 'order', token, count, finished: [] });

describe.each(KINDS)('the segment store on %s [promise: segments]', (kind) => {
  let database: TestDatabase;
  let tables = 0;
  let tableName: string;
  const stores: SegmentStore[] = [];

  beforeAll(async () => {
    database = await makeDatabase(kind, 'segment-store');
  });
  beforeEach(() => {
    tables += 1;
    tableName = `t_${tables}`;
  });
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
  });
  afterAll(() => database?.remove());

  function open(options: Partial<SqlSegmentStoreOptions> = {}): SegmentStore {
    const store = sqlSegmentStore({ dataSource: database.options, tableName, createTable: true, ...options });
    store.open?.({ callTimeoutMs: 20_000 });
    stores.push(store);
    return store;
  }

  /** Creates the tag, and claims 1 to 10. */
  async function used(store: SegmentStore): Promise<void> {
    await store.create({ tag: 'order', first: 1, step: 1000 });
    await store.claim(claimOf('first'));
  }

  it("continues a table of Leaf, next to Leaf's own servers", async () => {
    const timestamp = 'update_time timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP';
    await database.admin.query(
      `CREATE TABLE ${tableName} (biz_tag varchar(128) NOT NULL DEFAULT '' PRIMARY KEY,` +
        ` max_id bigint NOT NULL DEFAULT 1, step int NOT NULL, description varchar(256) DEFAULT NULL, ${timestamp})`,
    );
    await database.admin.query(
      `INSERT INTO ${tableName} (biz_tag, max_id, step) VALUES ('order', 2001, 2000)`,
    );
    const store = open();
    expect(await store.claim(claimOf('a', 500))).toMatchObject({ first: 2001, count: 500, step: 2000 });
    // What a server of Leaf executes.
    await database.admin.query(`UPDATE ${tableName} SET max_id = max_id + step WHERE biz_tag = 'order'`);
    expect(await store.claim(claimOf('b'))).toMatchObject({ first: 4501, count: 10 });
    const [row] = (await database.admin.query(`SELECT max_id, step FROM ${tableName}`)) as object[];
    expect(row).toMatchObject({ step: 2000 });
    expect(Number(Reflect.get(row ?? {}, 'max_id'))).toBe(4511);
  });

  it('needs for resume() only the tags of a table of Leaf that were claimed here, whatever their names', async () => {
    const foreign = ['pay/refund', '订单', 'Trail '];
    const segments = new Segments({
      store: open(),
      tags: ['order'],
      callTimeoutMs: 20_000,
      stopTimeoutMs: 0,
    });
    await segments.start();
    for (const tag of foreign)
      await database.admin.query(
        `INSERT INTO ${tableName} (biz_tag, max_id, step) VALUES ('${tag}', 500, 10)`,
      );
    await database.admin.query(
      `UPDATE ${tableName}_state SET history_id = 'another', lasting_id = NULL WHERE biz_tag = ''`,
    );
    await expect(segments.resume({})).rejects.toMatchObject({ option: 'highest', value: 'order' });
    await expect(segments.resume({ order: 7000, 'pay/return': 1 })).rejects.toMatchObject({ option: 'tag' });
    await segments.resume({ order: 7000, 'pay/refund': 800 });
    expect(await open().claim(claimOf('later'))).toMatchObject({ first: 7001 });
    const { tags } = await segments.inspect();
    expect(Object.fromEntries(tags.map(({ tag, next }) => [tag, next]))).toMatchObject({
      'pay/refund': 801,
      订单: 500,
      'Trail ': 500,
    });
    await segments.resume({ order: 8000 });
    await segments.stop();
  });

  it('notices a counter that was set back, also in a process that starts later', async () => {
    await used(open());
    await database.admin.query(`UPDATE ${tableName} SET max_id = 5 WHERE biz_tag = 'order'`);
    for (const store of [stores[0]!, open()]) {
      expect(await store.claim(claimOf('b'))).toEqual({ outcome: 'lost', reason: 'restored' });
    }
    expect(await stores[0]!.returnRemainder({ tag: 'order', token: 'first', first: 3, count: 8 })).toEqual({
      outcome: 'unknown',
    });
    expect((await open().inspect()).lost).toBe('restored');
    await open().resume({ order: 0 });
    expect(await stores[1]!.claim(claimOf('c'))).toMatchObject({ first: 11 });
  });

  it('notices lost rows, if a process remembers them, and lets others know', async () => {
    await used(open());
    await database.admin.query(`UPDATE ${tableName} SET max_id = 5 WHERE biz_tag = 'order'`);
    await database.admin.query(`UPDATE ${tableName}_state SET known_until = 5 WHERE biz_tag = 'order'`);
    expect(await stores[0]!.claim(claimOf('b'))).toEqual({ outcome: 'lost', reason: 'restored' });
    expect(await open().claim(claimOf('c'))).toEqual({ outcome: 'lost', reason: 'restored' });
  });

  it('refuses in another history until an operator names the highest number of every tag', async () => {
    const store = open();
    await used(store);
    await store.returnRemainder({ tag: 'order', token: 'first', first: 4, count: 7 });
    await store.create({ tag: 'other', first: 1, step: 1 });
    await database.admin.query(
      `UPDATE ${tableName}_state SET history_id = 'another', lasting_id = NULL WHERE biz_tag = ''`,
    );
    const lost = { outcome: 'lost', reason: 'history' };
    expect(await store.claim(claimOf('b'))).toEqual(lost);
    expect(await store.create({ tag: 'new', first: 1, step: 1 })).toEqual(lost);
    expect(await store.resume({ order: 999 })).toEqual({ outcome: 'missing', tags: ['other'] });
    expect(await store.claim(claimOf('b'))).toEqual(lost);
    expect(await store.resume({ order: 999, other: 0 })).toEqual({ outcome: 'resumed' });
    // The rest of 4 to 10 may have been granted before the loss, so it stays out.
    expect(await store.claim(claimOf('b'))).toMatchObject({ first: 1000 });
    expect(await open().create({ tag: 'new', first: 1, step: 1 })).toEqual({ outcome: 'created' });
  });

  it('starts above the numbers that running processes have reported, whatever the operator asserts', async () => {
    await used(open());
    await database.admin.query(
      `UPDATE ${tableName}_state SET history_id = 'another', lasting_id = NULL WHERE biz_tag = ''`,
    );
    await database.admin.query(`UPDATE ${tableName} SET max_id = 5 WHERE biz_tag = 'order'`);
    await database.admin.query(`UPDATE ${tableName}_state SET known_until = 5 WHERE biz_tag = 'order'`);
    expect(await stores[0]!.claim(claimOf('b'))).toEqual({ outcome: 'lost', reason: 'history' });
    await open().resume({ order: 7 });
    expect(await stores[1]!.claim(claimOf('c'))).toMatchObject({ first: 11 });
  });

  it('compares no history in development if the option asks for it', async () => {
    await used(open());
    await database.admin.query(
      `UPDATE ${tableName}_state SET history_id = 'another', lasting_id = NULL WHERE biz_tag = ''`,
    );
    expect(await open().claim(claimOf('b'))).toEqual({ outcome: 'lost', reason: 'history' });
    expect(await open({ possibleLoss: 'ignore' }).claim(claimOf('b'))).toMatchObject({ first: 11 });
  });

  it('refuses a tag that has lost only its counter until it is resumed', async () => {
    const store = open();
    await used(store);
    await database.admin.query(`DELETE FROM ${tableName} WHERE biz_tag = 'order'`);
    const lost = { outcome: 'lost', reason: 'restored' };
    expect(await store.create({ tag: 'order', first: 1, step: 1 })).toEqual(lost);
    expect(await open().resume({})).toEqual({ outcome: 'missing', tags: ['order'] });
    expect(await open().resume({ order: 0 })).toEqual({ outcome: 'resumed' });
    expect(await store.claim(claimOf('b'))).toMatchObject({ first: 11 });
  });

  it('refuses another stride (control)', async () => {
    await used(open());
    const strided = open({ dataSource: undefined, dataSources: [database.options], stride: 8 });
    expect(await strided.claim(claimOf('b'))).toMatchObject({ outcome: 'stride' });
  });

  it('names the migration and the option if its tables are missing', async () => {
    const store = open({ createTable: false });
    await expect(store.claim(claimOf('a'))).rejects.toThrow(
      /Run the migration CreateSnowflakeSegmentTables1767225600002, or set createTable: true/,
    );
  });

  it('spreads claims over databases, outlives the failure of a database, and repeats no number', async () => {
    const others = await Promise.all([1, 2].map((each) => makeDatabase('SQLite', `segment-spread-${each}`)));
    const down = { isDown: false };
    const [b, c] = others.map(({ options }) => options);
    const first = () => {
      if (down.isDown) throw new Error('down');
      return database.options;
    };
    const spread = (): SegmentStore =>
      open({ dataSource: undefined, dataSources: [first, b!, c!], stride: 8 });
    try {
      const store = spread();
      await store.create({ tag: 'order', first: 1, step: 1 });
      const numbers: number[] = [];
      const claim = async (from: SegmentStore, token: string): Promise<string> => {
        const reply = await from.claim(claimOf(token, 4));
        if (reply.outcome !== 'granted') throw new Error(JSON.stringify(reply));
        numbers.push(...[0, 1, 2, 3].map((index) => reply.first + 8 * index));
        return reply.token;
      };
      for (let round = 0; round < 6; round++) await claim(store, `a${round}`);
      down.isDown = true;
      const partial = spread();
      for (let round = 0; round < 6; round++) await claim(partial, `b${round}`);
      down.isDown = false;
      const last = await claim(partial, 'last');
      expect(new Set(numbers).size).toBe(numbers.length);
      expect(new Set(numbers.map((number) => number % 8))).toEqual(new Set([0, 1, 2]));
      const rest = { tag: 'order', token: last, first: numbers.at(-1) ?? 0, count: 1 };
      expect(await store.returnRemainder(rest)).toEqual({ outcome: 'returned' });
      expect((await store.inspect()).tags).toMatchObject([{ tag: 'order', rests: [{ count: 1 }] }]);
    } finally {
      await Promise.all(stores.splice(0).map((store) => store.close()));
      await Promise.all(others.map((other) => other.remove()));
    }
  });
});

describe.each(['SQLite', 'PostgreSQL'] as const)(
  'a store of several databases on %s [promise: segments]',
  (kind) => {
    let databases: TestDatabase[];
    let tables = 0;
    let tableName: string;
    const down = new Set<number>();
    const all: Segments[] = [];

    beforeAll(async () => {
      databases = await Promise.all([0, 1].map((each) => makeDatabase(kind, `several-${each}`)));
    });
    beforeEach(() => {
      tables += 1;
      tableName = `several_${tables}`;
      down.clear();
    });
    afterEach(async () => {
      await Promise.all(all.splice(0).map((segments) => segments.stop()));
    });
    afterAll(() => Promise.all((databases ?? []).map((each) => each.remove())));

    function storeOn(count: number): SegmentStore {
      const dataSources = databases.slice(0, count).map(({ options }, index) => () => {
        if (down.has(index)) throw new Error('ECONNREFUSED');
        return options;
      });
      return sqlSegmentStore({ dataSources, stride: 8, createTable: true, tableName });
    }

    /** No call or wait ends because the machine has paused, and no stop waits for a database that is down. */
    function segmentsOn(store: SegmentStore): Segments {
      const segments = new Segments({
        store,
        tags: ['order'],
        step: 10,
        callTimeoutMs: 20_000,
        readyTimeoutMs: 60_000,
        stopTimeoutMs: 0,
      });
      all.push(segments);
      return segments;
    }

    async function taken(segments: Segments, count: number): Promise<number[]> {
      const source = segments.source('order');
      const numbers: number[] = [];
      while (numbers.length < count) {
        await source.ready();
        numbers.push(source.next());
      }
      return numbers;
    }

    it('grants two users of one store different segments', async () => {
      await segmentsOn(storeOn(2)).start();
      const shared = storeOn(2);
      const users = [segmentsOn(shared), segmentsOn(shared)];
      await Promise.all(users.map((each) => each.start()));
      const numbers = (await Promise.all(users.map((each) => taken(each, 100)))).flat();
      expect(new Set(numbers).size).toBe(200);
    });

    it('takes a database into service that was added, and then needs none of the others', async () => {
      const first = segmentsOn(storeOn(1));
      const numbers = await taken(first, 25);
      await first.stop();
      const second = segmentsOn(storeOn(2));
      numbers.push(...(await taken(second, 50)));
      await second.stop();
      expect(new Set(numbers.map((number) => number % 8))).toEqual(new Set([0, 1]));
      down.add(0);
      const third = segmentsOn(storeOn(2));
      await third.start();
      numbers.push(...(await taken(third, 25)));
      expect(new Set(numbers).size).toBe(100);
    });

    it('creates a tag that a database does not have with the first claim', async () => {
      const first = segmentsOn(storeOn(1));
      await first.start();
      await first.stop();
      await segmentsOn(storeOn(2)).start();
      down.add(0);
      await segmentsOn(storeOn(2)).start();
      expect(await taken(all[2]!, 1)).toEqual([expect.any(Number)]);
    });

    it('creates no tag while a database is down that may know it', async () => {
      down.add(1);
      const segments = segmentsOn(storeOn(2));
      const failure = new Promise<Error>((resolve) => {
        segments.subscribe((event) => {
          if (event.type === 'claim-failed') resolve(event.error);
        });
      });
      const start = segments.start().catch((error: unknown) => error);
      expect((await failure).message).toMatch(/tag "order" is new to every database that answers/);
      await segments.stop();
      expect(await start).toBeInstanceOf(Error);
      down.clear();
      await segmentsOn(storeOn(2)).start();
      expect(await taken(all[1]!, 1)).toEqual([expect.any(Number)]);
    });

    it('reports once which database fails, and when it works again', async () => {
      const segments = segmentsOn(storeOn(2));
      await segments.start();
      await taken(segments, 40);
      await segments.stop();
      const events: string[] = [];
      const later = segmentsOn(storeOn(2));
      later.subscribe((event) => {
        if (event.type === 'database-failed') events.push(`${event.type} ${event.error.code}`);
        if (event.type === 'database-recovered') events.push(event.type);
      });
      down.add(0);
      await later.start();
      await taken(later, 60);
      expect(events).toEqual(['database-failed SNOWFLAKE_STORE_UNAVAILABLE']);
      down.clear();
      await taken(later, 60);
      expect(events).toEqual(['database-failed SNOWFLAKE_STORE_UNAVAILABLE', 'database-recovered']);
    });
  },
);

describe('a backup that is copied into a SQLite file', () => {
  it('repeats numbers that were granted since, unless an operator resumes the tags, as the guide says', async () => {
    const database = await makeDatabase('SQLite', 'segment-copy');
    const file = String(database.options.database);
    const opened = async <Result>(work: (store: SegmentStore) => Promise<Result>): Promise<Result> => {
      const store = sqlSegmentStore({ dataSource: database.options, createTable: true });
      store.open?.({ callTimeoutMs: 20_000 });
      try {
        return await work(store);
      } finally {
        await store.close();
      }
    };
    // Without the journal beside the file, the copy is complete.
    await database.admin.query('PRAGMA busy_timeout = 0');
    const copied = async (from: string, to: string): Promise<void> => {
      await database.admin.query('PRAGMA wal_checkpoint(TRUNCATE)');
      writeFileSync(to, readFileSync(from));
    };
    try {
      await opened((store) => store.create({ tag: 'order', first: 1, step: 1 }));
      await copied(file, `${file}.backup`);
      expect(await opened((store) => store.claim(claimOf('a')))).toMatchObject({ first: 1 });
      await copied(`${file}.backup`, file);
      expect(await opened((store) => store.claim(claimOf('b')))).toMatchObject({ first: 1 });
      await copied(`${file}.backup`, file);
      await opened((store) => store.resume({ order: 10 }));
      expect(await opened((store) => store.claim(claimOf('c')))).toMatchObject({ first: 11 });
    } finally {
      await database.remove();
    }
  });
});

describe('the name of a tag', () => {
  it('refuses a tag that the collation of the table takes for another one', async () => {
    const database = await makeDatabase('MariaDB', 'collation');
    const options = { dataSource: database.options, tableName: 'leaf_alloc', createTable: true };
    await database.admin.query(
      "CREATE TABLE leaf_alloc (biz_tag varchar(128) NOT NULL DEFAULT '' PRIMARY KEY, max_id bigint NOT NULL DEFAULT 1," +
        ' step int NOT NULL, description varchar(256), update_time timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP)' +
        ' CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci',
    );
    await database.admin.query("INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('order', 1, 10)");
    const store = sqlSegmentStore(options);
    store.open?.({ callTimeoutMs: 20_000 });
    try {
      await expect(store.claim({ ...claimOf('a'), tag: 'Order' })).rejects.toMatchObject({
        code: 'SNOWFLAKE_STORE_REJECTED',
        message: expect.stringMatching(/"Order".*"order"/),
      });
      expect(await store.claim(claimOf('b'))).toMatchObject({ first: 1 });
    } finally {
      await store.close();
      await database.remove();
    }
  });
});

describe('the options of the segment store', () => {
  const sqlite = { type: 'better-sqlite3', database: 'a.sqlite' } as const;

  it.each<[string, object]>([
    ['url', {}],
    ['dataSource', { dataSource: 'postgres://user:hunter2@db' }],
    ['dataSources', { dataSource: sqlite, dataSources: [sqlite] }],
    ['dataSources', { dataSources: [sqlite, sqlite], stride: 1 }],
    ['dataSources', { dataSources: [] }],
    ['stride', { dataSource: sqlite, stride: 8 }],
    ['stride', { dataSources: [sqlite], stride: 0 }],
    ['tableName', { dataSource: sqlite, tableName: 'a b' }],
    ['possibleLoss', { dataSource: sqlite, possibleLoss: 'wait' }],
    ['tablename', { dataSource: sqlite, tablename: 'a' }],
    ['dataSource.database', { dataSource: { type: 'better-sqlite3', database: ':memory:' } }],
  ])('refuses a wrong %s: %o', (option, options) => {
    const call = (): unknown => sqlSegmentStore(options as SqlSegmentStoreOptions);
    expect(call).toThrow(expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION', option }));
    expect(call).not.toThrow(/hunter2/);
  });
});
