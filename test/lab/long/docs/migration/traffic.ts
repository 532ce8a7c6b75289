import { ShopApp, type Version } from '../../../../docs/migration/shop-app.js';
import type { DataSourceOptions } from 'typeorm';

const PROCESSES_PER_VERSION = 2;
const LOOPS_PER_PROCESS = 2;
/** Without pauses, a migration that never waits for a lock would hardly ever get one. */
const THINK_MS = 12;

/** Processes of several versions of the app that write and read at the same time, and the answers that they got. */
export class Traffic {
  /** Which customer each order belongs to, by reference and name. */
  readonly expected = new Map<string, string>();
  /** Every operation that failed or read something else than was written. */
  readonly failures: string[] = [];
  readonly inserted: Record<string, string[]> = {};
  private readonly customers: string[] = [];
  /** Orders that an operation is about. */
  private readonly busy = new Set<string>();
  private readonly running = new Map<string, { stop: () => Promise<void>; loops: { done: number }[] }>();
  private count = 0;

  constructor(private readonly options: DataSourceOptions) {}

  /** Starts processes of a version. */
  async deploy(name: string, version: Version): Promise<void> {
    const apps = await Promise.all(
      Array.from({ length: PROCESSES_PER_VERSION }, () => ShopApp.start(version, this.options)),
    );
    const stopping = new AbortController();
    const loops = apps.flatMap((app) => Array.from({ length: LOOPS_PER_PROCESS }, () => ({ app, done: 0 })));
    const ended = Promise.all(
      loops.map(async (loop) => {
        while (!stopping.signal.aborted) {
          await this.operate(name, loop.app);
          loop.done++;
          await new Promise((resolve) => setTimeout(resolve, THINK_MS * Math.random()));
        }
      }),
    );
    this.running.set(name, {
      loops,
      stop: async () => {
        stopping.abort();
        await ended;
        this.inserted[name] = apps.flatMap(({ inserted }) => inserted);
        await Promise.all(apps.map((app) => app.stop()));
      },
    });
  }

  /** Waits until each loop of each version has done that many operations more. */
  async flow(operations = 12): Promise<void> {
    const goals = [...this.running.values()].flatMap(({ loops }) =>
      loops.map((loop) => ({ loop, goal: loop.done + operations })),
    );
    while (goals.some(({ loop, goal }) => loop.done < goal)) {
      await new Promise((resolve) => setTimeout(resolve, THINK_MS));
    }
  }

  /** Ends the processes of a version. */
  async retire(name: string): Promise<void> {
    const version = this.running.get(name);
    this.running.delete(name);
    await version?.stop();
  }

  async stop(): Promise<void> {
    for (const name of this.running.keys()) await this.retire(name);
  }

  private async operate(name: string, app: ShopApp): Promise<void> {
    const choice = Math.random();
    const known = [...this.expected.keys()].filter((key) => !this.busy.has(key));
    const order = known[Math.floor(Math.random() * known.length)];
    const customer = this.customers[Math.floor(Math.random() * this.customers.length)];
    try {
      if (order === undefined || customer === undefined || choice < 0.2) await this.addCustomer(app);
      else if (choice < 0.4) await this.addOrder(app, customer);
      else await this.about(order, () => retried(() => this.use(app, choice, order, customer)));
    } catch (error) {
      this.failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  private async use(app: ShopApp, choice: number, order: string, customer: string): Promise<void> {
    if (choice < 0.6) {
      await app.moveOrder(order, customer);
      this.expected.set(order, customer);
    } else if (choice < 0.65) {
      await app.removeOrder(order);
      this.expected.delete(order);
    } else {
      const read = await (choice < 0.8 ? app.customerOf(order) : app.customerOfId(order));
      if (read !== this.expected.get(order)) {
        throw new Error(`${order} belongs to ${this.expected.get(order)}, and was read with ${read}`);
      }
    }
  }

  private async addCustomer(app: ShopApp): Promise<void> {
    const [name, reference] = [`customer ${++this.count}`, `order ${this.count}`];
    await retried(() => app.addCustomer(name, reference));
    this.customers.push(name);
    this.expected.set(reference, name);
  }

  private async addOrder(app: ShopApp, customer: string): Promise<void> {
    const reference = `order ${++this.count}`;
    await retried(() => app.addOrder(reference, customer));
    this.expected.set(reference, customer);
  }

  private async about(order: string, operation: () => Promise<void>): Promise<void> {
    this.busy.add(order);
    await operation().finally(() => this.busy.delete(order));
  }
}

/** Retries a transaction that MariaDB refuses because a table was changed after it began, as the guides require of apps. */
async function retried(transaction: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await transaction();
    } catch (error) {
      if (!String(error).includes('Table definition has changed')) throw error;
    }
  }
}
