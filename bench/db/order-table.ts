import type { DataSource, Repository } from 'typeorm';
import { type BenchDatabase, connect } from './databases.js';
import type { KeyKind } from './key-kind.js';
import { newOrders, type OrderRow } from './order-row.js';
import { TIME_INDEX, type TableSizes } from './table-sizes.js';
import { microsEach } from './timing.js';

/** Below the limit of parameters of all databases: at most 8 columns a row, and SQLite takes 32,766. */
export const CHUNK_ROWS = 1000;

/** A table of orders under one kind of key. */
export class OrderTable {
  private constructor(
    readonly kind: KeyKind,
    private readonly database: BenchDatabase,
    private readonly dataSource: DataSource,
    private readonly orders: Repository<OrderRow>,
  ) {}

  static async open(database: BenchDatabase, kind: KeyKind): Promise<OrderTable> {
    const dataSource = await connect(database, kind);
    return new OrderTable(kind, database, dataSource, dataSource.getRepository<OrderRow>(kind.entity));
  }

  countRows(): Promise<number> {
    return this.orders.count();
  }

  async close(): Promise<void> {
    await this.kind.close?.();
    await this.dataSource.destroy();
  }

  /** @returns microseconds per row */
  async insertChunk(): Promise<number> {
    const rows = newOrders(CHUNK_ROWS);
    return microsEach(CHUNK_ROWS, async () => {
      await this.kind.assignKeys?.(rows, this.dataSource);
      await this.write((orders) => orders.insert(rows));
    });
  }

  /** Inserts with one statement per row. @returns microseconds per row */
  insertSingly(count: number): Promise<number> {
    const rows = newOrders(count);
    return microsEach(count, async () => {
      for (const row of rows) {
        await this.kind.assignKeys?.([row], this.dataSource);
        await this.write((orders) => orders.insert(row));
      }
    });
  }

  /** Returns the sizes, including an index of the time if the key contains none. */
  async sizes(): Promise<TableSizes> {
    const { kind, database, dataSource } = this;
    if (!kind.showsTime)
      await dataSource.query(`CREATE INDEX ${TIME_INDEX} ON orders (${this.timeColumn()})`);
    await dataSource.query(database.analyse);
    return database.sizesOf(dataSource);
  }

  async databaseVersion(): Promise<string> {
    const [row] = await this.dataSource.query<{ version: string }[]>(this.database.versionQuery);
    return row?.version ?? '';
  }

  /** All keys of the table, ascending, in pages. */
  async *keys(): AsyncGenerator<string> {
    const pageRows = 100_000;
    let after = '0';
    for (;;) {
      const page = await this.orders
        .createQueryBuilder('orders')
        .select('orders.id', 'id')
        .where('orders.id > :after', { after })
        .orderBy('orders.id')
        .limit(pageRows)
        .getRawMany<{ id: string | number }>();
      for (const { id } of page) yield String(id);
      if (page.length < pageRows) return;
      after = String(page.at(-1)?.id);
    }
  }

  /** Returns the problems of the keys. */
  async faults(): Promise<string[]> {
    const [row] = await this.dataSource.query<{ repeated: string }[]>(
      'SELECT COUNT(*) - COUNT(DISTINCT id) AS repeated FROM orders',
    );
    const repeated = Number(row?.repeated);
    const own = await this.kind.problemOf?.(this.dataSource);
    return [
      ...(repeated === 0 ? [] : [`${repeated} keys are repeated`]),
      ...(own === undefined ? [] : [own]),
    ];
  }

  private write(insert: (orders: Repository<OrderRow>) => Promise<unknown>): Promise<unknown> {
    const { kind, dataSource, orders } = this;
    if (!kind.write) return insert(orders);
    return kind.write(dataSource, (manager) => insert(manager.getRepository<OrderRow>(kind.entity)));
  }

  private timeColumn(): string {
    const column = this.orders.metadata.findColumnWithPropertyName('createdAt');
    return this.dataSource.driver.escape(column?.databaseName ?? 'createdAt');
  }
}
