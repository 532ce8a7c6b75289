import { BitLayout, IdDecoder, IdGenerator } from 'nestjs-snowflake/core';
import { DataSource, type QueryRunner } from 'typeorm';
import { runHere } from '../../libs/snowflake-cli/test/run-here.js';
import { VirtualClock } from '../../libs/snowflake/src/stores/port/virtual-clock.js';
import { databaseFor } from '../support/servers/index.js';
import { MarkdownPage } from './markdown.js';
import { GuideSql, runBlock } from './migration/guide-sql.js';
import { testThatAllHaveRun } from './page-code.js';

const guide = new GuideSql(MarkdownPage.read('docs/guides/database-ids.md').under('Partitions by time'));
const decoder = new IdDecoder(new BitLayout());
const [DECEMBER, JANUARY] = [Date.UTC(2026, 11), Date.UTC(2027, 0)];
const last = (untilMs: number): string => decoder.lastIdAt(new Date(untilMs - 1));

const DATABASES = {
  postgres: {
    partition: (month: string) => `orders_${month}`,
    none: /no partition of relation/,
    countIn: (month: string) => `SELECT count(*) AS n FROM orders_${month}`,
    explainDay:
      "EXPLAIN SELECT * FROM orders WHERE id >= snowflake.first_id('2026-12-24Z') AND id < snowflake.first_id('2026-12-25Z')",
  },
  mariadb: {
    partition: (month: string) => `p${month}`,
    none: /Table has no partition for value/,
    countIn: (month: string) => `SELECT count(*) AS n FROM orders PARTITION (p${month})`,
    explainDay:
      "EXPLAIN PARTITIONS SELECT * FROM orders WHERE id >= snowflake_first_id('2026-12-24') AND id < snowflake_first_id('2026-12-25')",
  },
} as const;

describe.each(['postgres', 'mariadb'] as const)('partitions by time on %s', (type) => {
  const { partition, none, countIn, explainDay } = DATABASES[type];
  let source: DataSource;
  let session: QueryRunner;

  const run = (title: string) => runBlock(session, guide.statements(`${type}: ${title}`));
  const insert = (...ids: (string | bigint)[]): Promise<unknown> =>
    session.query(`INSERT INTO orders VALUES ${ids.map((id) => `(${id}, 1)`).join()}`);
  const rowsIn = async (month: string): Promise<number> => {
    const [row] = (await session.query(countIn(month))) as { n: string }[];
    return Number(row?.n);
  };

  beforeEach(async () => {
    const url = await databaseFor(type, 'partitions');
    source = await new DataSource({ type, url, poolSize: 1 }).initialize();
    session = source.createQueryRunner();
    const { stdout } = await runHere(['sql', 'functions', '--dialect', type]);
    for (const statement of stdout.replaceAll(/^--.*\n/gm, '').split(/;\n/)) {
      if (statement.trim() !== '') await session.query(statement);
    }
    await run('a table with two months');
  });

  afterEach(async () => {
    await session?.release();
    await source?.destroy();
  });

  it('hold the rows of their month, read one partition for a day, and are dropped alone', async () => {
    await insert(last(DECEMBER), decoder.firstIdAt(new Date(DECEMBER)), last(JANUARY));
    expect([await rowsIn('2026_11'), await rowsIn('2026_12')]).toEqual([1, 2]);
    await expect(insert(decoder.firstIdAt(new Date(JANUARY)))).rejects.toThrow(none);
    await run('the next month');
    await run('the next month');
    await insert(decoder.firstIdAt(new Date(JANUARY)));

    const plan = JSON.stringify(await session.query(explainDay));
    expect(plan).toContain(partition('2026_12'));
    expect(plan).not.toContain(partition('2026_11'));
    expect(plan).not.toContain(partition('2027_01'));

    await run('remove a month');
    const left = (await session.query('SELECT id FROM orders ORDER BY id')) as { id: string }[];
    expect(left.map(({ id }) => String(id))).toEqual([
      decoder.firstIdAt(new Date(DECEMBER)),
      last(JANUARY),
      decoder.firstIdAt(new Date(JANUARY)),
    ]);
  });

  it('take a row with a borrowed timestamp into the month of its ID, if that month has a partition', async () => {
    const clock = new VirtualClock(JANUARY - 1);
    const generator = new IdGenerator(new BitLayout(), clock, { onSequenceExhausted: 'borrow' });
    const untilMs = JANUARY + 60_000;
    generator.adopt({ workerId: 5, fromMs: JANUARY - 2, untilMs, clockTimeUntilMs: untilMs });
    const ids = Array.from({ length: 4_100 }, () => generator.nextBigInt());
    expect(clock.now()).toBe(JANUARY - 1);
    // Control: without the next month, the INSERT fails.
    await expect(insert(...ids)).rejects.toThrow(none);
    await run('the next month');
    await insert(...ids);
    expect([await rowsIn('2026_12'), await rowsIn('2027_01')]).toEqual([4_096, 4]);
  });

  it('are possible with foreign keys only on PostgreSQL', async () => {
    await session.query('CREATE TABLE customers (id bigint PRIMARY KEY)');
    await session.query('ALTER TABLE orders ADD customer_id bigint');
    const added = session.query('ALTER TABLE orders ADD FOREIGN KEY (customer_id) REFERENCES customers (id)');
    if (type === 'mariadb') {
      await expect(added).rejects.toThrow(/partition/i);
      return;
    }
    await added;
    await session.query('CREATE TABLE lines (id bigint PRIMARY KEY, order_id bigint REFERENCES orders)');
    await session.query(`INSERT INTO orders VALUES (${last(DECEMBER)}, 1)`);
    await session.query(`INSERT INTO lines VALUES (1, ${last(DECEMBER)})`);
    await expect(run('remove a month')).rejects.toThrow(/foreign key/);
  });
});

testThatAllHaveRun(guide);
