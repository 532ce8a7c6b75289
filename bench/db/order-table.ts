import type { DataSource, FindOptionsWhere, Repository } from 'typeorm';
import { type BenchDatabase, connect } from './databases.js';
import type { KeyKind } from './key-kind.js';
import { type NewOrder, newOrders, type OrderRow } from './order-row.js';
import { TIME_INDEX, type TableSizes } from './table-sizes.js';
import { microsEach } from './timing.js';

/** Below the limit of parameters of all databases: at most 8 columns a row, and SQLite takes 32,766. */
export const CHUNK_ROWS = 1000;

/** The bounds of a search by time, and the number of rows that it finds. */
export interface TimeRange {
  readonly where: FindOptionsWhere<OrderRow>;
  readonly rows: number;
}

/** A table of orders under one kind of key. */
export class OrderTable {
  /** When the chunks of the table were made, as the bounds of a search by time. */
  private readonly chunkStartsMs: number[] = [];

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
    this.chunkStartsMs.push(Date.now());
    const rows = newOrders(CHUNK_ROWS);
    return microsEach(CHUNK_ROWS, async () => {
      await this.kind.assignKeys?.(rows, this.dataSource);
      await this.write((orders) => orders.insert(rows));
    });
  }

  /** Inserts with one statement per row. @returns microseconds per row */
  async insertSingly(count: number): Promise<number> {
    const rows = newOrders(count);
    return this.writeEach(rows, (orders, row) => orders.insert(row));
  }

  /** Inserts with one transaction per row. @returns microseconds per row */
  async saveSingly(count: number): Promise<number> {
    const rows = newOrders(count);
    return this.writeEach(rows, (orders, row) => orders.save(row));
  }

  /** The rows of some chunks in the middle of the table, to be found by their time. */
  async timeRange(chunks: number): Promise<TimeRange> {
    const first = Math.max(0, Math.floor((this.chunkStartsMs.length - chunks) / 2));
    const where = this.kind.madeBetween(this.startOfChunk(first), this.startOfChunk(first + chunks) - 1);
    return { where, rows: await this.orders.countBy(where) };
  }

  /** @returns microseconds per row */
  sumAmounts({ where, rows }: TimeRange): Promise<number> {
    return microsEach(rows, () => this.orders.sum('amount', where));
  }

  /** Prepares the search by time: updates the statistics, and creates an index if the key contains no time. */
  async prepareForSearch(): Promise<void> {
    const { kind, database, dataSource } = this;
    if (!kind.showsTime) {
      await dataSource.query(`CREATE INDEX ${TIME_INDEX} ON orders (${this.timeColumn()})`);
    }
    await dataSource.query(database.analyse);
  }

  async dropTimeIndex(): Promise<void> {
    if (!this.kind.showsTime) await this.dataSource.query(this.database.dropIndex(TIME_INDEX));
  }

  async databaseVersion(): Promise<string> {
    const [row] = await this.dataSource.query<{ version: string }[]>(this.database.versionQuery);
    return row?.version ?? '';
  }

  sizes(): Promise<TableSizes> {
    return this.database.sizesOf(this.dataSource);
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

  private writeEach(
    rows: readonly NewOrder[],
    insert: (orders: Repository<OrderRow>, row: NewOrder) => Promise<unknown>,
  ): Promise<number> {
    return microsEach(rows.length, async () => {
      for (const row of rows) {
        await this.kind.assignKeys?.([row], this.dataSource);
        await this.write((orders) => insert(orders, row));
      }
    });
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

  private startOfChunk(index: number): number {
    return this.chunkStartsMs[index] ?? Date.now();
  }
}
