import type { AppEnvironment } from './app-contract.js';
import type { AppProcess } from './app-process.js';
import { STEP_WITHIN_MS, type Consumer } from './consumer.js';
import { SharedOrders, type Order } from './shared-orders.js';

const ROWS = 10_000;
/** Of 100, so that enough wait for the successor, whichever process is the fastest. */
const BATCHES_OF_A_SURVIVOR = 20;
const BATCHES_OF_THE_KILLED = 10;
const ROUNDS_UNTIL_REFUSED = 20;
const WORKER_ID_SHIFT = 12n;
const MAX_WORKER_ID = 1023n;

/** Where processes of one app keep their orders and leases. */
export interface SharedDatabase extends AppEnvironment {
  /** Reads all orders, past the app. */
  stored(): Promise<Order[]>;
}

/**
 * Declares the tests of an app whose `POST /orders` takes an array of `{ customerId }`, and returns orders in their order. With
 * the environment variable `WORKER_ID`, the app has no lease.
 */
export function itSharesADatabase(
  consumer: () => Consumer,
  prepare: (test: string) => Promise<SharedDatabase>,
  main = 'dist/main.js',
): void {
  let database: SharedDatabase;
  let apps: AppProcess[] = [];

  afterEach(async () => {
    await Promise.all(apps.map((app) => app.end('SIGKILL')));
    await database?.stop?.();
    apps = [];
  }, STEP_WITHIN_MS);

  async function start(count: number, settings: NodeJS.ProcessEnv = {}): Promise<AppProcess[]> {
    const started = await Promise.allSettled(
      Array.from({ length: count }, () => consumer().start(main, { ...database.env, ...settings })),
    );
    const running = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    apps.push(...running);
    for (const result of started) if (result.status === 'rejected') throw result.reason;
    return running;
  }

  it(
    'inserts 10,000 rows through three processes and the successor of a killed one, with no ID twice and no row lost',
    async () => {
      database = await prepare('three processes');
      const orders = new SharedOrders();
      const [first, second, killed] = (await start(3)) as [AppProcess, AppProcess, AppProcess];

      orders.add(ROWS);
      await Promise.all([
        orders.insertThrough(first, BATCHES_OF_A_SURVIVOR),
        orders.insertThrough(second, BATCHES_OF_A_SURVIVOR),
        killInARequest(orders, killed),
      ]);
      const [successor] = (await start(1)) as [AppProcess];
      const running = [first, second, successor];
      await Promise.all(running.map((app) => orders.insertThrough(app)));

      const acknowledged = [...orders.acknowledged.values()].flat();
      expect(acknowledged).toHaveLength(ROWS);
      const stored = new Map((await database.stored()).map(({ id, customerId }) => [id, customerId]));
      expect(acknowledged.filter(({ id, customerId }) => stored.get(id) !== customerId)).toEqual([]);
      expect(new Set(acknowledged.map(({ id }) => id)).size).toBe(ROWS);
      expect(new Set(stored.values()).size).toBe(ROWS);
      const workerIds = [...running, killed].map((app) => workerIdsOf(orders.acknowledged.get(app)));
      expect(workerIds.map(({ size }) => size)).toEqual([1, 1, 1, 1]);
      expect(new Set(workerIds.flatMap((ids) => [...ids])).size).toBe(4);
      const [ofTheKilled] = orders.acknowledged.get(killed) ?? [];
      expect(await found(successor, ofTheKilled)).toEqual(ofTheKilled);

      await Promise.all(running.map((app) => app.end('SIGTERM')));
      expect(await database.held()).toEqual([...workerIds.at(-1)!]);
    },
    STEP_WITHIN_MS,
  );

  it(
    'refuses a row, which has the ID of another one, if three processes share a worker ID (control)',
    async () => {
      database = await prepare('one worker ID');
      const orders = new SharedOrders();
      const running = await start(3, { WORKER_ID: '7' });
      await expect(insertUntilRefused(orders, running)).rejects.toThrow('The app answered 500');
      const ended = await Promise.all(running.map((app) => app.end('SIGTERM')));
      expect(ended.map(({ stderr }) => stderr).join('')).toMatch(/unique|duplicate/i);
    },
    STEP_WITHIN_MS,
  );
}

/** Two processes generate equal IDs once they make some in the same millisecond. */
async function insertUntilRefused(orders: SharedOrders, apps: readonly AppProcess[]): Promise<void> {
  for (let round = 0; round < ROUNDS_UNTIL_REFUSED; round += 1) {
    orders.add(ROWS);
    await Promise.all(apps.map((app) => orders.insertThrough(app)));
  }
}

/** Kills a process that has inserted some batches while it inserts the next one. */
async function killInARequest(orders: SharedOrders, app: AppProcess): Promise<void> {
  await orders.insertThrough(app, BATCHES_OF_THE_KILLED);
  const last = orders.insertThrough(app).then(
    () => 'all inserted',
    () => 'gone',
  );
  await app.end('SIGKILL');
  expect(await last).toBe('gone');
}

function workerIdsOf(orders: readonly Order[] = []): Set<number> {
  return new Set(orders.map(({ id }) => Number((BigInt(id) >> WORKER_ID_SHIFT) & MAX_WORKER_ID)));
}

/** Returns an order as a process finds it. */
async function found({ url }: AppProcess, order: Order | undefined): Promise<unknown> {
  return (await fetch(`${url}/orders/${order?.id}`)).json();
}
