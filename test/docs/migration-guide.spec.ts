import { join } from 'node:path';
import libsql from 'libsql';
import { BitLayout, DEFAULT_EPOCH, IdDecoder } from 'nestjs-snowflake/core';
import { memoryLeaseStore, SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import { MemoryRegistry } from 'nestjs-snowflake/store';
import { prepareDatabase, verifySnowflakeDataSource } from 'nestjs-snowflake/typeorm';
import { DataSource, type DataSourceOptions, type Repository } from 'typeorm';
import { migrationOf } from '../../libs/snowflake-cli/src/commands/sql/migration.js';
import { cleanUpAfterAll, temporaryFolder } from '../support/clean-up.js';
import { databaseFor } from '../support/servers/index.js';
import { runAsClient } from './migration/client.js';
import {
  GuideEntities,
  NUMBERS,
  ONLINE,
  plansOf,
  printedBy,
  runStep,
  UUID,
  UUID_MARIADB,
} from './migration/plans.js';
import { testThatAllHaveRun } from './page-code.js';
import { type CustomerRow, type OrderRow, ShopApp, type Version } from './migration/shop-app.js';

const entities = new GuideEntities();
const versions = await entities.code();
const plans = plansOf(versions);
const cleanUp = cleanUpAfterAll();
const SQLITE = {
  type: 'better-sqlite3',
  driver: libsql,
  database: ':memory:',
  prepareDatabase,
} satisfies DataSourceOptions;

/** The entities of a new version, but the DataSource is only to look at. */
async function inspect<Result>(
  { Customer, Order }: Version,
  options: DataSourceOptions,
  look: (dataSource: DataSource) => Promise<Result>,
): Promise<Result> {
  const app = await ShopApp.start({ Customer, Order, makesIds: true }, options);
  return look(app.dataSource).finally(() => app.stop());
}

async function droppedBySynchronize(dataSource: DataSource): Promise<string[]> {
  const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
  const drops = upQueries.map(
    ({ query }) => /DROP COLUMN ["`](?<name>\w+)["`]/.exec(query)?.groups?.['name'],
  );
  return drops.filter((name) => name !== undefined && name !== 'created_at') as string[];
}

describe.each(plans.map((plan) => [plan.name, plan] as const))(
  'the migration guide %s [promise: exact-keys]',
  (_, plan) => {
    let options: DataSourceOptions;
    let dataSource: DataSource;
    /** The processes that run. */
    const apps = new Map<string, ShopApp>();
    /** Each order with its customer. */
    const expected = new Map([
      ['order 1', 'bob'],
      ['order 2', 'ann'],
      ['order 3', 'bob'],
    ]);
    const oldKeys = new Map<string, string>();
    /** The app of the last version. */
    const current = (): ShopApp => apps.get('snowflake')!;
    const { Order } = plan.versions.snowflake!;

    beforeAll(async () => {
      const url = await databaseFor(plan.kind, 'migration guide');
      options = { type: plan.kind, url, poolSize: 2 } as DataSourceOptions;
      dataSource = await new DataSource(options).initialize();
      for (const table of plan.tables) await dataSource.query(table);
      const old = await ShopApp.start(plan.versions.old!, options);
      apps.set('old', old);
      await old.addCustomer('bob', 'order 1');
      await old.addCustomer('ann', 'order 2');
      await old.addOrder('order 3', 'bob');
      const [, first, , second, third] = old.inserted;
      [first, second, third].forEach((key, at) => oldKeys.set(`order ${at + 1}`, key!));
      if (!plan.scripts) return;
      await dataSource.query("UPDATE customers SET created_at = '2025-03-01 10:00:00'");
      for (const [at, reference] of [...oldKeys.keys()].entries()) {
        const created = `2025-03-0${at + 1} 12:00:00`;
        await dataSource.query(
          `UPDATE orders SET created_at = '${created}' WHERE reference = '${reference}'`,
        );
      }
    });
    afterAll(async () => {
      await Promise.all([...apps.values()].map((app) => app.stop()));
      await dataSource.destroy();
    });

    it('the app does not boot before the first step (control)', async () => {
      await inspect(versions.auto, options, (naive) =>
        expect(verifySnowflakeDataSource(naive)).rejects.toMatchObject({ code: 'SNOWFLAKE_COLUMN_TYPE' }),
      );
    });

    it('synchronize and migration:generate would drop the keys before the first step', async () => {
      await expect(inspect(versions.auto, options, droppedBySynchronize)).resolves.toContain('id');
    });

    it('every step keeps every row and every reference, and the app boots after the last', async () => {
      const session = dataSource.createQueryRunner();
      for (const step of plan.steps) {
        if ('deploy' in step)
          apps.set(step.deploy, await ShopApp.start(plan.versions[step.deploy]!, options));
        else if ('retire' in step) await apps.get(step.retire)!.stop();
        else await runStep(session, plan, step);
        if ('retire' in step) apps.delete(step.retire);
        for (const app of apps.values()) {
          const reference = `order ${expected.size + 1}`;
          await app.addOrder(reference, 'ann');
          await app.moveOrder(reference, 'bob');
          expected.set(reference, 'bob');
        }
        for (const app of apps.values()) {
          for (const [reference, name] of expected) {
            await expect(app.customerOf(reference)).resolves.toBe(name);
            await expect(app.customerOfId(reference)).resolves.toBe(name);
          }
        }
      }
      await session.release();

      await expect(verifySnowflakeDataSource(current().dataSource)).resolves.toBeUndefined();
      expect([...apps.keys()]).toEqual(['snowflake']);
    }, 120_000);

    if (plan.scripts) {
      it('old rows have IDs of their creation, and sort before new rows', async () => {
        const { manager } = current().dataSource;
        const orders = await manager.find(Order, { order: { id: 'ASC' } });
        const references = orders.map(({ reference }) => reference);
        const decoder = new IdDecoder(new BitLayout());
        expect(references.slice(0, 3)).toEqual(['order 1', 'order 2', 'order 3']);
        for (const { id, reference } of orders.slice(0, 3)) {
          const [row] = await dataSource.query<{ created_at: Date }[]>(
            `SELECT created_at FROM orders WHERE reference = '${reference}'`,
          );
          expect(decoder.decode(String(id)).timestamp).toEqual(row!.created_at);
        }
        const made = new Set(current().inserted);
        const old = orders.filter(({ id }) => !made.has(String(id)));
        expect(references.slice(0, old.length)).toEqual(old.map(({ reference }) => reference));
        // Those that the old version has inserted since the first step have IDs of the last day.
        const ages = old.slice(3).map(({ id }) => Date.now() - decoder.decode(String(id)).timestampMs);
        const day = 24 * 60 * 60 * 1000;
        expect(ages.filter((age) => age > day - 60_000 && age < day + 600_000).length).toBeGreaterThan(0);
        expect(new Set(references).size).toBe(references.length);
      });
    } else {
      it('old rows sort first, and decode to the epoch', async () => {
        const { manager } = current().dataSource;
        const orders = await manager.find(Order, { order: { id: 'ASC' } });

        expect(orders.slice(0, 3)).toMatchObject(
          ['1', '2', '3'].map((id) => ({ id, reference: `order ${id}` })),
        );
        const { timestamp } = new IdDecoder(new BitLayout()).decode(String(orders[0]!.id));
        expect(timestamp).toEqual(new Date(DEFAULT_EPOCH));
      });
    }

    it('new rows get Snowflake IDs, and refer to old and new rows', async () => {
      const app = current();
      await app.addCustomer('eve', 'first of eve');
      await app.addOrder('last of ann', 'ann');

      for (const id of app.inserted) expect(BigInt(id)).toBeGreaterThan(2n ** 53n);
      await expect(app.customerOf('first of eve')).resolves.toBe('eve');
      await expect(app.customerOf('last of ann')).resolves.toBe('ann');
    });

    it('foreign keys hold after the last step, and no counter is left', async () => {
      const { manager } = current().dataSource;
      const order = { reference: 'of nobody', customerId: '99' } as OrderRow;
      await expect(manager.insert(Order, order)).rejects.toThrow(/foreign key/i);
      const insert = "INSERT INTO customers (name) VALUES ('without an ID')";
      await expect(dataSource.query(insert)).rejects.toThrow(/null|default value/i);
    });

    it('synchronize would drop nothing after the last step', async () => {
      await expect(droppedBySynchronize(current().dataSource)).resolves.toEqual([]);
    });

    if (plan.name === 'from auto-increment to new keys on PostgreSQL') {
      it('the old key still finds its row', async () => {
        const orders = current().dataSource.getRepository(Order);
        for (const [reference, key] of oldKeys) {
          await expect(orders.findOneBy({ oldId: key } as object)).resolves.toMatchObject({ reference });
        }
      });
    } else if (plan.scripts) {
      it('links with the old key still find their row', async () => {
        type FindOrder = (orders: Repository<OrderRow>, key: string) => Promise<OrderRow | null>;
        const findOrder = await entities.projects.uuid.run<FindOrder>('find-order.ts', 'findOrder');
        const orders = current().dataSource.getRepository(Order);
        for (const [reference, key] of oldKeys) {
          const order = await findOrder(orders, key);
          expect(order).toMatchObject({ reference, uuid: key });
          await expect(findOrder(orders, String(order!.id))).resolves.toMatchObject({ reference });
        }
      });
    } else {
      it('old rows keep their keys', async () => {
        const { manager } = current().dataSource;
        for (const [reference, id] of oldKeys) {
          await expect(manager.findOneBy(Order, { id })).resolves.toMatchObject({ reference });
        }
      });
    }
  },
);

describe.each(
  plans.filter(({ name }) => name.startsWith('from UUIDs')).map((plan) => [plan.name, plan] as const),
)('the way back of the migration guide %s [promise: exact-keys]', (_, plan) => {
  it('keeps every row until the new column is the primary key, and does nothing afterwards', async () => {
    const url = await databaseFor(plan.kind, 'way back from UUIDs');
    const options = { type: plan.kind, url, poolSize: 2 } as DataSourceOptions;
    const dataSource = await new DataSource(options).initialize();
    for (const table of plan.tables) await dataSource.query(table);
    const session = dataSource.createQueryRunner();
    const run = async (from: number, to: number): Promise<void> => {
      for (const step of plan.steps.slice(from, to)) await runStep(session, plan, step);
    };
    const undo = () => runStep(session, plan, { run: 'undo' });
    const columns = () =>
      dataSource.query(
        `SELECT table_name, column_name FROM information_schema.columns
         WHERE table_schema = ${plan.kind === 'postgres' ? 'current_schema()' : 'DATABASE()'} ORDER BY 1, 2`,
      );
    const before = await columns();
    const old = await ShopApp.start(plan.versions.old!, options);
    await old.addCustomer('ann', 'order 1');
    const expected = new Map([['order 1', 'ann']]);
    const add = async (app: ShopApp, name: string): Promise<void> => {
      const reference = `order ${expected.size + 1}`;
      await app.addCustomer(name, reference);
      expected.set(reference, name);
    };
    const expectRows = async (app: ShopApp): Promise<void> => {
      for (const [reference, name] of expected) await expect(app.customerOf(reference)).resolves.toBe(name);
    };

    const first = plan.steps.findIndex((step) => 'run' in step && step.run === 'customers: add');
    const second = plan.steps.findIndex((step) => 'run' in step && step.run === 'orders: add');
    const third = plan.steps.findIndex((step) => 'deploy' in step);
    await run(0, second);
    await add(old, 'of step 1');
    await undo();
    await expect(columns()).resolves.toEqual(before);
    await expectRows(old);

    await runStep(session, plan, { sequence: true });
    await run(first, third);
    const snowflake = await ShopApp.start(plan.versions.snowflake!, options);
    await add(snowflake, 'of the new version');
    await add(old, 'of step 3');
    await snowflake.stop();
    await undo();
    await expect(columns()).resolves.toEqual(before);
    await add(old, 'of the old version');
    await expectRows(old);
    await old.stop();

    await runStep(session, plan, { sequence: true });
    await run(first, plan.steps.length);
    const after = await columns();
    await expect(undo()).rejects.toThrow(/customer_id/);
    await expect(columns()).resolves.toEqual(after);
    const again = await ShopApp.start(plan.versions.snowflake!, options);
    await add(again, 'after the last step');
    await expectRows(again);
    await again.stop();
    await session.release();
    await dataSource.destroy();
  }, 120_000);
});

describe('the migration guide for SQLite', () => {
  it('the migration on SQLite keeps every row and every reference, and removes the counter', async () => {
    const { Customer, Order } = versions.auto;
    const options = { ...SQLITE, database: join(temporaryFolder(cleanUp), 'shop.db') };
    const app = await ShopApp.start(versions.auto, options);
    const { manager } = app.dataSource;
    const key = 'integer PRIMARY KEY AUTOINCREMENT NOT NULL';
    await manager.query(`CREATE TABLE customers (id ${key}, name varchar NOT NULL)`);
    await manager.query(
      `CREATE TABLE orders (id ${key}, reference varchar NOT NULL, customer_id integer NOT NULL,
       CONSTRAINT orders_customer FOREIGN KEY (customer_id) REFERENCES customers (id))`,
    );
    await manager.query("INSERT INTO customers (name) VALUES ('ann'), ('bob')");
    await manager.query("INSERT INTO orders (reference, customer_id) VALUES ('one', 2), ('two', 1)");
    await expect(verifySnowflakeDataSource(app.dataSource)).rejects.toMatchObject({
      code: 'SNOWFLAKE_COLUMN_TYPE',
    });

    const { widen } = await migrationOf({ ...options, entities: [Customer, Order] }, 30_000);
    for (const statement of widen.forward) await manager.query(statement);

    await expect(manager.query('PRAGMA foreign_key_check')).resolves.toEqual([]);
    await expect(verifySnowflakeDataSource(app.dataSource)).resolves.toBeUndefined();
    await expect(app.customerOf('one')).resolves.toBe('bob');
    await expect(app.customerOfId('two')).resolves.toBe('ann');
    await app.addCustomer('eve', 'three');
    for (const id of app.inserted) expect(BigInt(id)).toBeGreaterThan(2n ** 53n);
    await expect(manager.find(Order)).resolves.toHaveLength(3);
    await expect(manager.find(Customer)).resolves.toHaveLength(3);
    await expect(manager.insert(Order, { reference: 'x', customerId: '99' } as OrderRow)).rejects.toThrow(
      /foreign key/i,
    );
    await expect(manager.query("INSERT INTO customers (name) VALUES ('x')")).rejects.toThrow(/null/i);
    await expect(droppedBySynchronize(app.dataSource)).resolves.toEqual([]);
    await app.stop();
  });
});

describe('the IDs of rows that the old version still inserts [promise: exact-keys]', () => {
  const decoder = new IdDecoder(new BitLayout());

  async function started(registry: MemoryRegistry): Promise<SnowflakeIdMaker> {
    const ids = new SnowflakeIdMaker({
      store: memoryLeaseStore({ registry }),
      lease: { possibleLoss: 'ignore' },
    });
    await ids.start();
    return ids;
  }

  /** IDs that another import has for rows of the last day, and how many of them the sequence has, too. */
  async function alsoMadeBy(ofSequence: SnowflakeIdMaker, other: SnowflakeIdMaker): Promise<number> {
    const sql = await versions.scripts.oldVersionKeys(ofSequence);
    const [first = 0n, step = 0n, last = 0n] = [...sql.matchAll(/\d+/g)].map(([number]) => BigInt(number));
    expect((last - first) % step).toBe(0n);
    const times = [decoder.decode(first), decoder.decode(last)].map(({ timestampMs }) => timestampMs);
    const rows = Array.from({ length: 1000 }, (_, n) => times[0]! + n).concat(times[1]!);
    const ids = (await other.backfill(rows)).map(BigInt);
    return ids.filter((id) => id >= first && id <= last && (id - first) % step === 0n).length;
  }

  it('are those of no other import and of no process', async () => {
    const registry = new MemoryRegistry();
    const [ids, other] = [await started(registry), await started(registry)];
    expect(await alsoMadeBy(ids, other)).toBe(0);
    expect(await alsoMadeBy(ids, ids)).toBe(0);
    await Promise.all([ids.stop(), other.stop()]);
  });

  it('are those of another import that has another store (control)', async () => {
    const [ids, other] = [await started(new MemoryRegistry()), await started(new MemoryRegistry())];
    expect(await alsoMadeBy(ids, other)).toBe(1001);
    await Promise.all([ids.stop(), other.stop()]);
  });
});

describe('what the migration guides promise', () => {
  it('an INSERT of several rows reports the last ID while triggers of MariaDB count', async () => {
    const url = await databaseFor('mariadb', 'migration guide');
    const dataSource = await new DataSource({ type: 'mariadb', url, poolSize: 1 }).initialize();
    await dataSource.query('CREATE TABLE counted (id bigint NOT NULL AUTO_INCREMENT PRIMARY KEY, n int)');
    await dataSource.query('CREATE SEQUENCE counted_ids START WITH 100');
    await dataSource.query(
      `CREATE TRIGGER counted_count BEFORE INSERT ON counted FOR EACH ROW
       SET NEW.id = IF(NEW.id > 0, NEW.id, NEXTVAL(counted_ids))`,
    );
    const insertId = async (values: string): Promise<number> => {
      const { insertId: id } = await dataSource.query<{ insertId: number }>(
        `INSERT INTO counted (n) VALUES ${values}`,
      );
      return id;
    };

    await expect(insertId('(1)')).resolves.toBe(100);
    await expect(insertId('(2), (3)')).resolves.toBe(102);
    await dataSource.destroy();
  });

  it('TypeORM reads the ID of an entity of the old version as a rounded number', async () => {
    const app = await ShopApp.start(NUMBERS, { ...SQLITE, synchronize: true });
    await app.dataSource.query("INSERT INTO customers (id, name) VALUES (1800000000000000001, 'ann')");
    const [customer] = await app.dataSource.manager.find<CustomerRow>(NUMBERS.Customer);
    expect(customer).toMatchObject({ id: 1_800_000_000_000_000_000 });
    await app.stop();
  });
});

it('the database counts up from the newest Snowflake ID after the way back with the SQL for MySQL', async () => {
  const plan = plans.find(({ printsForMysql }) => printsForMysql)!;
  const url = await databaseFor('mariadb', 'back with the SQL for MySQL');
  const options = { type: 'mariadb', url } as const;
  const dataSource = await new DataSource(options).initialize();
  for (const table of plan.tables) await dataSource.query(table);
  await runAsClient(options, (await printedBy(plan, options)).widen.forward);
  const { forward, back } = (await printedBy(plan, options))['stop-counting'];
  await runAsClient(options, forward);
  await dataSource.query("INSERT INTO customers VALUES (1800000000000000001, 'of the app')");

  await runAsClient(options, back);

  await dataSource.query("INSERT INTO customers (name) VALUES ('counted')");
  const counted = await dataSource.query("SELECT id FROM customers WHERE name = 'counted'");
  expect(counted).toEqual([{ id: '1800000000000000002' }]);
  await dataSource.destroy();
});

testThatAllHaveRun(ONLINE, UUID, UUID_MARIADB);
