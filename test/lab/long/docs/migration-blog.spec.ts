import { migrationOf } from '../../../../libs/snowflake-cli/src/commands/sql/migration.js';
import type { Migration } from '../../../../libs/snowflake-cli/src/commands/sql/steps.js';
import { DataSource, type DataSourceOptions, EntitySchema } from 'typeorm';
import { databaseFor } from '../../../support/servers/index.js';
import { type Blog, blog, type BlogVersion, optionsOf } from '../../../../libs/snowflake-cli/test/blog.js';
import { BlogDatabase } from './migration/blog-database.js';
import { BlogTraffic } from './migration/blog-traffic.js';

const TIMEOUT_MS = 60_000;
const OPERATIONS = 12;

/** Keys of an `int` column, which the old version counted. */
const LARGEST_INT = 2_147_483_647n;

const narrowed = (schema: readonly string[]): string[] =>
  schema
    .map((line) => line.replaceAll('bigint(20)', 'int(11)').replaceAll('bigint', 'integer'))
    .map((line) => line.replace(/^(tag id integer t) d /, '$1 a '))
    .toSorted();

describe.each(['postgres', 'mariadb'] as const)('a migration from auto-increment on %s', (kind) => {
  const versions: Record<BlogVersion, Blog> = {
    old: blog('old', kind),
    bridge: blog('bridge', kind),
    snowflake: blog('snowflake', kind),
  };
  const print = (database: BlogDatabase): Promise<Migration> =>
    migrationOf(optionsOf(versions.snowflake, database.options), TIMEOUT_MS);

  it('keeps every row, reference and rule over all steps and their ways back, under traffic and restarts', async () => {
    const database = await BlogDatabase.make(kind, versions.old);
    const traffic = new BlogTraffic(database.options);
    const [rows, schema] = [await database.rows(), await database.schema()];
    const check = async (): Promise<void> => {
      await traffic.flow(OPERATIONS);
      const now = await database.rows();
      expect([...rows].filter((row) => !now.has(row))).toEqual([]);
      await expect(database.lost(traffic)).resolves.toEqual([]);
      expect(traffic.failures).toEqual([]);
    };
    const restart = async (version: BlogVersion): Promise<void> => {
      await traffic.retire(version);
      await traffic.deploy(versions[version]);
      await check();
    };
    try {
      await traffic.deploy(versions.old);
      await traffic.flow(OPERATIONS);

      const { widen } = await print(database);
      await database.run(widen.forward);
      await restart('old');
      expect(narrowed(await database.schema())).toEqual(narrowed(schema));
      await expect(database.schema()).resolves.not.toEqual(schema);
      await database.run(widen.back);
      await restart('old');
      await expect(database.schema()).resolves.toEqual(schema);
      await database.run(widen.forward);
      await restart('old');

      await traffic.deploy(versions.bridge);
      await check();
      await traffic.retire('old');
      await restart('bridge');

      await traffic.deploy(versions.snowflake);
      await check();
      await traffic.retire('snowflake');
      await restart('bridge');
      await traffic.deploy(versions.snowflake);
      await check();
      await traffic.retire('bridge');
      await restart('snowflake');
      const wide = await database.schema();
      await expect(database.run(widen.back)).rejects.toThrow(/out of range/i);
      await expect(database.schema()).resolves.toEqual(wide);

      const { 'stop-counting': stop } = await print(database);
      await database.run(stop.forward);
      await restart('snowflake');
      await expect(database.query("INSERT INTO tag (tag) VALUES ('x')")).rejects.toThrow(
        /null|default value/i,
      );
      await database.run(stop.back);
      await expect(database.schema()).resolves.toEqual(wide);
      await restart('snowflake');
      const before = traffic.inserted.bridge.length;
      await traffic.deploy(versions.bridge);
      await check();
      await traffic.retire('snowflake');
      await check();
      expect(traffic.inserted.bridge.length).toBeGreaterThan(before);
      await traffic.deploy(versions.snowflake);
      await traffic.retire('bridge');
      await database.run(stop.forward);
      await check();

      for (const version of ['old', 'bridge', 'snowflake'] as const) {
        const misplaced = traffic.inserted[version].filter(
          (id) => BigInt(id) > LARGEST_INT !== (version === 'snowflake'),
        );
        expect(misplaced).toEqual([]);
      }
    } finally {
      await traffic.stop();
      await database.close();
    }
  });
});

describe('a process of the old version with synchronize: true that starts after step 1', () => {
  /** Resolves to whether it starts. */
  const starts = async (options: DataSourceOptions): Promise<boolean> => {
    const dataSource = new DataSource(options);
    const started = await dataSource.initialize().then(
      () => true,
      () => false,
    );
    if (started) await dataSource.destroy();
    return started;
  };

  it.each([
    ['mariadb', 'empties every reference'],
    ['postgres', 'changes nothing'],
  ] as const)(
    'refuses to start the migration on %s, where keys are referred to, and %s',
    async (kind, outcome) => {
      const old = blog('old', kind);
      const database = await BlogDatabase.make(kind, old);
      const referring = async (): Promise<number> =>
        (await database.query<{ articleId: unknown }>('SELECT * FROM comment')).filter(
          ({ articleId }) => articleId !== null,
        ).length;
      const before = await referring();
      const { widen } = await migrationOf(optionsOf(blog('snowflake', kind), database.options), TIMEOUT_MS);
      await database.run(widen.forward);

      await expect(starts(optionsOf(old, database.options, true))).resolves.toBe(false);

      expect(before).toBeGreaterThan(50);
      await expect(referring()).resolves.toBe(outcome === 'changes nothing' ? before : 0);
      await database.close();
    },
  );

  it.each(['mariadb', 'postgres'] as const)(
    'starts on %s without a warning, and empties a reference',
    async (kind) => {
      const url = await databaseFor(kind, 'blog');
      const Visit = new EntitySchema<{ code: string; userId: number | null }>({
        name: `visit ${kind}`,
        tableName: 'visit',
        columns: {
          code: { type: 'varchar', length: 10, primary: true },
          userId: { type: 'int', nullable: true, name: 'user_id' },
        },
      });
      const options = { type: kind, url, entities: [Visit] } as DataSourceOptions;
      const dataSource = await new DataSource({
        ...options,
        synchronize: true,
      } as DataSourceOptions).initialize();
      await dataSource.manager.insert(Visit, { code: 'first', userId: 5 });
      const widen = kind === 'mariadb' ? 'MODIFY user_id bigint NULL' : 'ALTER COLUMN user_id TYPE bigint';
      await dataSource.query(`ALTER TABLE visit ${widen}`);

      await expect(starts({ ...options, synchronize: true } as DataSourceOptions)).resolves.toBe(true);

      await expect(dataSource.manager.find(Visit)).resolves.toEqual([{ code: 'first', userId: null }]);
      await dataSource.destroy();
    },
  );
});

it('the comparison of schemas finds a foreign key that was added again without its rule', async () => {
  const database = await BlogDatabase.make('mariadb', blog('old', 'mariadb'));
  const schema = await database.schema();
  const { widen } = await migrationOf(optionsOf(blog('snowflake', 'mariadb'), database.options), TIMEOUT_MS);
  await database.run(widen.forward.map((statement) => statement.replace(' ON DELETE CASCADE', '')));
  expect(narrowed(await database.schema())).not.toEqual(narrowed(schema));
  await database.close();
});
