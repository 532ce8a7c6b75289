import {
  EventSubscriber,
  type DataSource,
  type EntityMetadata,
  type EntitySubscriberInterface,
  type InsertEvent,
  type ObjectLiteral,
  type QueryRunner,
  type TransactionCommitEvent,
  type TransactionRollbackEvent,
  type TransactionStartEvent,
} from 'typeorm';
import { InvalidOptionError } from 'nestjs-snowflake/core';
import { oneInProcess } from 'nestjs-snowflake/internal/core/process-memory';
import type { CallMeter } from 'nestjs-snowflake/internal/kit/call-meter';
import { means } from 'nestjs-snowflake/internal/kit/sql/errors';
import { whenAssigned } from 'nestjs-snowflake/internal/adapters/typeorm/attach';
import { refuseToDropValues } from 'nestjs-snowflake/internal/adapters/typeorm/dropped-columns';
import { numberInUse, numberRepeated } from '../database/database-errors.js';
import { requireKey } from '../core/keys.js';
import {
  dateIn,
  fieldsIn,
  holderIn,
  scopeIn,
  seriesColumnsOf,
  type SeriesColumn,
} from '../columns/series-columns.js';
import { NumberQueue, type NumberRequest } from '../transactions/number-queue.js';
import { dataSourceOf, SeriesDatabases } from '../database/series-database.js';
import type { SeriesNumberTaken } from '../database/series-types.js';
import { TransactionWatch } from '../transactions/transaction-watch.js';

/**
 * Assigns the numbers of `@SeriesNumber()` columns before an INSERT, and prevents the commit of a transaction that
 * could not take its number. List it in the options of each DataSource that holds series, after `SnowflakeSubscriber`.
 * If it is listed, it also refuses a `synchronize: true` that would drop the numbers of existing rows.
 *
 * @example
 * ```ts
 * TypeOrmModule.forRoot({ ...database, autoLoadEntities: true, subscribers: [SnowflakeSubscriber, SeriesSubscriber] })
 * ```
 */
@oneInProcess('SeriesSubscriber')
@EventSubscriber()
export class SeriesSubscriber implements EntitySubscriberInterface<ObjectLiteral> {
  readonly #databases = new SeriesDatabases();
  readonly #watch = new TransactionWatch(this.#databases);
  readonly #queue = new NumberQueue(this.#watch, this.#databases);
  readonly #known = new WeakMap<EntityMetadata, readonly SeriesColumn[]>();
  /** The numbers that this subscriber has assigned to an object. A retry after a rollback gets another one. */
  readonly #assigned = new WeakMap<object, Set<unknown>>();
  readonly #pending = new WeakSet<object>();
  /** The columns with numbers, as SQLite names them in an error. */
  readonly #columnNames = new Set<string>();
  /** The `entityMetadatas` of DataSources that have begun a transaction. Each `initialize()` makes new ones. */
  readonly #begun = new WeakSet<object>();

  /** @internal */
  get watch(): TransactionWatch {
    return this.#watch;
  }

  /** @internal */
  measureWith(meter: CallMeter): void {
    this.#queue.meter = meter;
  }

  /** @internal */
  take(dataSource: DataSource, runner: QueryRunner, request: NumberRequest): Promise<SeriesNumberTaken> {
    return this.#queue.take(dataSource, runner, request);
  }

  /**
   * Rejects and never throws: TypeORM calls the subscribers of a whole batch in one loop.
   *
   * @throws SeriesTransactionError outside of a transaction
   * @throws SeriesConflictError, SeriesExhaustedError, StoreRejectedError, StoreUnavailableError
   * @throws VoidedSeriesNumberError if the number of the row's document was voided
   * @throws InvalidDateError if the date of the row is not a date
   * @throws InvalidOptionError if the row already has a number, or its scope, date, document or field is missing
   */
  beforeInsert(event: InsertEvent<ObjectLiteral | undefined>): Promise<void> | void {
    const { entity, metadata } = event;
    if (entity === undefined) return;
    if (this.#known.get(metadata)?.length === 0) return;
    const assigned = this.#assign(event, entity);
    // Another subscriber's throw can end the batch before TypeORM awaits it.
    assigned.catch(() => undefined);
    return assigned;
  }

  afterInsert({ entity, queryRunner }: InsertEvent<ObjectLiteral | undefined>): void {
    if (entity !== undefined) this.#watch.on(queryRunner)?.noteInserted(entity);
  }

  /**
   * Refuses `synchronize: true` that would drop the numbers of documents. The schema builder's transaction is the first one.
   *
   * @throws ColumnDropError
   */
  beforeTransactionStart(event: TransactionStartEvent): Promise<void> | void {
    const dataSource = dataSourceOf(event);
    if (this.#begun.has(dataSource.entityMetadatas)) return;
    this.#begun.add(dataSource.entityMetadatas);
    return refuseToDropValues(dataSource, (metadata) =>
      seriesColumnsOf(metadata).map(({ column }) => column),
    );
  }

  afterTransactionStart({ queryRunner }: TransactionStartEvent): void {
    this.#watch.started(queryRunner);
  }

  /** @throws the error of the number that could not be taken */
  async beforeTransactionCommit({ queryRunner }: TransactionCommitEvent): Promise<void> {
    await this.#watch.on(queryRunner)?.requireCommittable(queryRunner);
  }

  async beforeTransactionRollback({ queryRunner }: TransactionRollbackEvent): Promise<void> {
    await this.#watch.on(queryRunner)?.prepareRollback(queryRunner);
  }

  afterTransactionCommit({ queryRunner }: TransactionCommitEvent): void {
    this.#watch.ended(queryRunner);
  }

  afterTransactionRollback({ queryRunner }: TransactionRollbackEvent): void {
    this.#watch.ended(queryRunner);
  }

  beforeQuery(event: {
    readonly queryRunner: QueryRunner;
    readonly query: string;
    readonly parameters?: unknown;
  }): void {
    this.#watch.noteStatement(event.queryRunner, event.query, valuesIn(event));
  }

  /** @throws StoreRejectedError if a number can't be inserted, because another row has it */
  afterQuery(event: {
    readonly queryRunner: QueryRunner;
    readonly query: string;
    readonly parameters?: unknown;
    readonly success?: boolean;
    readonly error?: unknown;
    readonly dataSource?: DataSource;
    readonly connection?: DataSource;
  }): Promise<never> | void {
    const { queryRunner, query, success, error } = event;
    if (success !== false) return;
    const dataSource = dataSourceOf(event);
    this.#watch.noteFailedStatement(dataSource, queryRunner, error);
    if (!means(error, 'repeatedValue')) return;
    const written = this.#watch.on(queryRunner)?.numbersIn(query, valuesIn(event)) ?? [];
    const number = numberRepeated(error, written, this.#columnNames);
    if (number === undefined) return;
    const refusal = Promise.reject(numberInUse(number, error, dataSource.options));
    // TypeORM throws it instead of the error of the driver, unless something else fails before.
    refusal.catch(() => undefined);
    return refusal;
  }

  async #assign(event: InsertEvent<ObjectLiteral | undefined>, row: ObjectLiteral): Promise<void> {
    const columns = this.#columnsOf(event.metadata);
    if (columns.length === 0) return;
    const dataSource = dataSourceOf(event);
    // The key of its document can be its ID.
    await whenAssigned(dataSource, row);
    const requests = columns.map((column) => this.#requestFor(column, row));
    const runner = this.#watch.beginNumbering(dataSource, event.queryRunner);
    const holders = columns.map((column) => holderIn(column, row) ?? row);
    for (const holder of holders) this.#pending.add(holder);
    try {
      const entries = await Promise.all(
        requests.map((request) => this.#queue.take(dataSource, runner, request)),
      );
      this.#watch.on(runner)?.addRow(row);
      for (const [at, { text }] of entries.entries()) this.#write(columns[at], row, text);
    } finally {
      for (const holder of holders) this.#pending.delete(holder);
    }
  }

  /** @throws InvalidOptionError */
  #requestFor(column: SeriesColumn, row: ObjectLiteral): NumberRequest {
    const { label, series, definition, document } = column;
    const value: unknown = column.column.getEntityValue(row);
    const isOwn = value === undefined || value === null || this.#assigned.get(row)?.has(value) === true;
    if (!isOwn) {
      const remedy = 'Leave it unset: the series assigns the number, and would issue this one again later.';
      throw new InvalidOptionError(label, value, 'is already set', remedy);
    }
    if (this.#pending.has(holderIn(column, row) ?? row)) {
      const remedy = 'Pass one object per row, for example { ...row }.';
      throw new InvalidOptionError(
        label,
        row,
        'would be the same in two rows, which share one object',
        remedy,
      );
    }
    return {
      series,
      definition,
      scope: scopeIn(column, row),
      date: dateIn(column, row),
      document: document === undefined ? undefined : requireKey(`${label}: document`, document(row as never)),
      fields: fieldsIn(column, row),
    };
  }

  #write(column: SeriesColumn | undefined, row: ObjectLiteral, text: string): void {
    column?.column.setEntityValue(row, text);
    this.#assigned.set(row, (this.#assigned.get(row) ?? new Set()).add(text));
  }

  #columnsOf(metadata: EntityMetadata): readonly SeriesColumn[] {
    let columns = this.#known.get(metadata);
    if (columns === undefined) {
      this.#known.set(metadata, (columns = seriesColumnsOf(metadata)));
      for (const { column, entity } of columns)
        this.#columnNames.add(`${entity.tableName}.${column.databaseName}`);
    }
    return columns;
  }
}

/** Returns the subscriber of an initialized DataSource. */
export function findSeriesSubscriber({ subscribers }: DataSource): SeriesSubscriber | undefined {
  return subscribers.find((subscriber) => subscriber instanceof SeriesSubscriber);
}

function valuesIn({ parameters }: { readonly parameters?: unknown }): readonly unknown[] {
  return Array.isArray(parameters) ? parameters : [];
}
