import type { AppProcess } from './app-process.js';

const BATCH = 100;

/** An order, as an app returns it and as its database has it. */
export interface Order {
  readonly id: string;
  readonly customerId: string;
}

/** Orders of customers 1, 2, 3, … that processes of an app insert in batches. A process takes one when it is free. */
export class SharedOrders {
  /** What each process has acknowledged. */
  readonly acknowledged = new Map<AppProcess, Order[]>();
  #customers = 0;
  readonly #waiting: string[][] = [];

  add(orders: number): void {
    for (let index = 0; index < orders; index += BATCH) {
      this.#waiting.push(Array.from({ length: BATCH }, () => String(++this.#customers)));
    }
  }

  /** Lets a process insert this many batches, or all that wait. @throws Error if it refuses or loses one */
  async insertThrough(app: AppProcess, batches = Infinity): Promise<void> {
    for (let count = 0; count < batches; count += 1) {
      const customers = this.#waiting.pop();
      if (!customers) return;
      try {
        this.#acknowledge(app, await insert(app, customers));
      } catch (error) {
        // Another process inserts them. If their rows are there already, a customer has two orders then.
        this.#waiting.push(customers);
        throw error;
      }
    }
  }

  #acknowledge(app: AppProcess, orders: readonly Order[]): void {
    const earlier = this.acknowledged.get(app) ?? [];
    this.acknowledged.set(app, [...earlier, ...orders]);
  }
}

async function insert({ url }: AppProcess, customers: readonly string[]): Promise<Order[]> {
  const response = await fetch(`${url}/orders`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(customers.map((customerId) => ({ customerId }))),
  });
  if (!response.ok) throw new Error(`The app answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Order[];
}
