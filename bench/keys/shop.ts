import { DataSource } from 'typeorm';
import type { KeyKind } from './key-kinds.js';

export const CHUNK_ROWS = 1000;
/** One customer for so many orders, and one product. */
const ORDERS_PER_CUSTOMER = 20;
const ORDERS_PER_PRODUCT = 200;
const SEGMENTS = 100;

export type DatabaseType = 'postgres' | 'mariadb';

const DIALECTS: Readonly<
  Record<DatabaseType, { identity: string; settle: string[]; sizes: string; session?: string }>
> = {
  postgres: {
    identity: 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
    settle: ['VACUUM ANALYZE'],
    sizes: `SELECT pg_table_size('orders') AS rows_bytes, pg_indexes_size('orders') AS index_bytes`,
    // A second process would share the cores with everything else.
    session: 'SET max_parallel_workers_per_gather = 0',
  },
  mariadb: {
    identity: 'bigint AUTO_INCREMENT PRIMARY KEY',
    settle: ['ANALYZE TABLE customers', 'ANALYZE TABLE products', 'ANALYZE TABLE orders'],
    // The rows lie in the index of the key.
    sizes: `SELECT SUM(IF(index_name = 'PRIMARY', stat_value, 0)) * @@innodb_page_size AS rows_bytes,
                   SUM(IF(index_name = 'PRIMARY', 0, stat_value)) * @@innodb_page_size AS index_bytes
            FROM mysql.innodb_index_stats
            WHERE database_name = DATABASE() AND table_name = 'orders' AND stat_name = 'size'`,
  },
};

/** The tables of a shop under one kind of key: orders refer to customers and products. */
export class Shop {
  private customers: string[] = [];
  private products: string[] = [];

  private constructor(
    readonly kind: KeyKind,
    private readonly type: DatabaseType,
    private readonly source: DataSource,
  ) {}

  static async open(type: DatabaseType, url: string, kind: KeyKind, orders: number): Promise<Shop> {
    const source = await new DataSource({ type, url, poolSize: 1 }).initialize();
    const shop = new Shop(kind, type, source);
    await shop.create(orders);
    return shop;
  }

  close(): Promise<void> {
    return this.source.destroy();
  }

  /** @returns milliseconds */
  async insertChunk(): Promise<number> {
    const now = new Date().toISOString().replace('T', ' ').replace('Z', '');
    const rows = Array.from({ length: CHUNK_ROWS }, (_, at) => [
      ...this.key(),
      pick(this.customers),
      pick(this.products),
      `'${now}'`,
      String(at),
    ]);
    return millisOf(() => this.insert('orders', ['customer_id', 'product_id', 'created_at', 'amount'], rows));
  }

  /** Joins a tenth of the customers and half of the products with all orders. @returns milliseconds */
  join(): Promise<number> {
    return millisOf(() =>
      this.source.query(
        `SELECT COUNT(*), SUM(o.amount) FROM orders o JOIN customers c ON c.id = o.customer_id JOIN products p ON p.id = o.product_id
         WHERE c.segment < ${SEGMENTS / 10} AND p.segment < ${SEGMENTS / 2}`,
      ),
    );
  }

  /** Runs what a team runs after a large import. */
  async settle(): Promise<void> {
    for (const statement of DIALECTS[this.type].settle) await this.source.query(statement);
  }

  /** Returns the bytes of the orders: of the table, and of its indexes. */
  async sizes(): Promise<{ rows: number; indexes: number; count: number; repeated: number }> {
    const [size] = await this.source.query<{ rows_bytes: string; index_bytes: string }[]>(
      DIALECTS[this.type].sizes,
    );
    const [row] = await this.source.query<{ total: string; keys: string }[]>(
      `SELECT COUNT(*) AS total, COUNT(DISTINCT id) AS ${this.source.driver.escape('keys')} FROM orders`,
    );
    const count = Number(row?.total);
    return {
      rows: Number(size?.rows_bytes),
      indexes: Number(size?.index_bytes),
      count,
      repeated: count - Number(row?.keys),
    };
  }

  private async create(orders: number): Promise<void> {
    const { kind, source } = this;
    const { identity, session } = DIALECTS[this.type];
    const id = kind.next ? `${kind.type} PRIMARY KEY` : identity;
    const reference = (table: string): string =>
      `${kind.type} NOT NULL, FOREIGN KEY (${table}_id) REFERENCES ${table}s (id)`;
    if (session) await source.query(session);
    for (const table of ['customers', 'products'])
      await source.query(`CREATE TABLE ${table} (id ${id}, segment int NOT NULL, name varchar(40) NOT NULL)`);
    await source.query(
      `CREATE TABLE orders (id ${id}, customer_id ${reference('customer')}, product_id ${reference('product')},
        created_at timestamp(3) NOT NULL, amount int NOT NULL)`,
    );
    for (const column of ['customer_id', 'product_id', 'created_at'])
      await source.query(`CREATE INDEX orders_${column} ON orders (${column})`);
    this.customers = await this.fill('customers', orders / ORDERS_PER_CUSTOMER);
    this.products = await this.fill('products', orders / ORDERS_PER_PRODUCT);
  }

  /** Returns the keys of the new rows, as literals. */
  private async fill(table: string, count: number): Promise<string[]> {
    const keys: string[] = [];
    while (keys.length < count) {
      const rows = Array.from({ length: Math.min(CHUNK_ROWS, count - keys.length) }, (_, at) => {
        const key = this.key();
        keys.push(...(this.kind.next ? key : [String(keys.length + 1)]));
        return [...key, String(at % SEGMENTS), `'${table} with a name ${at}'`];
      });
      await this.insert(table, ['segment', 'name'], rows);
    }
    return keys;
  }

  private key(): string[] {
    return this.kind.next ? [this.kind.next()] : [];
  }

  private insert(table: string, columns: readonly string[], rows: readonly string[][]): Promise<unknown> {
    const names = [...(this.kind.next ? ['id'] : []), ...columns].join(', ');
    return this.source.query(
      `INSERT INTO ${table} (${names}) VALUES ${rows.map((row) => `(${row.join(', ')})`).join(', ')}`,
    );
  }
}

function pick(keys: readonly string[]): string {
  return keys[Math.floor(Math.random() * keys.length)] ?? '';
}

async function millisOf(task: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await task();
  return performance.now() - startedMs;
}
