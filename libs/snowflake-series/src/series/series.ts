import { InstanceChecker, type DataSource, type EntityManager, type QueryRunner } from 'typeorm';
import { InvalidOptionError } from 'nestjs-snowflake/core';
import {
  requireMethods,
  requireObject,
  requireOptions,
} from 'nestjs-snowflake/internal/core/options/option-checks';
import { oneInProcess } from 'nestjs-snowflake/internal/core/process-memory';
import { SeriesTransactionError, UnknownSeriesNumberError } from '../core/series-errors.js';
import { writeDate } from '../core/civil-date.js';
import type { SeriesOptions } from '../core/series-options.js';
import { requireNumberText, requirePeriod, requireReason } from '../core/texts.js';
import { Auditor } from './audit.js';
import { toConflict, toSeriesError } from '../database/database-errors.js';
import { Definitions } from '../columns/definitions.js';
import { requireKey, scopeOf } from '../core/keys.js';
import { dataSourceOf, SeriesDatabases } from '../database/series-database.js';
import { inexactScopes } from '../columns/scope-collation.js';
import type { NumberRequest } from '../transactions/number-queue.js';
import { findSeriesSubscriber, type SeriesSubscriber } from './series-subscriber.js';
import type {
  SeriesAudit,
  SeriesAuditOptions,
  SeriesNextOptions,
  SeriesNumberTaken,
  SeriesPlace,
  SeriesVoidOptions,
} from '../database/series-types.js';
import { SeriesStore } from '../database/series-store.js';
import { statementsOf } from '../database/runner-statements.js';

const PLACE = { manager: true, scope: true, date: true, fields: true } as const;

/**
 * Issues numbers without gaps for documents. A number is taken in the transaction that inserts its document: a rollback
 * takes it back, and until the commit no other transaction gets a number of the same series, scope and period. Inject
 * it from `SeriesModule`, and see {@link next}.
 */
@oneInProcess('Series')
export class Series {
  readonly #definitions: Definitions;
  readonly #databases = new SeriesDatabases();

  /**
   * @param series the series by name, besides those of `@SeriesNumber()` columns
   * @throws InvalidOptionError
   */
  constructor(series: Readonly<Record<string, SeriesOptions>> = {}) {
    this.#definitions = new Definitions(series);
  }

  /**
   * Runs `work` in a transaction at READ COMMITTED. On SQLite, whose DataSource has a single connection, such
   * transactions run one after the other, and numbers can be taken only here. If other processes write to the file,
   * begin the transaction with a write: TypeORM has no `BEGIN IMMEDIATE`. On MySQL and MariaDB, execute no DDL in the
   * transaction: the database commits before each such statement.
   *
   * @returns what `work` returns, after the COMMIT
   * @throws SeriesTransactionError within another such transaction, if the DataSource has no `SeriesSubscriber`, or if
   * the transaction has a number and PostgreSQL has rolled it back because of an error that `work` caught
   * @throws SeriesConflictError for a deadlock, a serialization failure, a lock timeout or a busy file, including in a statement of
   * your own and in the COMMIT; on SQLite also if a transaction that began elsewhere uses the connection. Every other error of
   * `work` is thrown as it is
   */
  async transaction<Result>(
    dataSource: DataSource,
    work: (manager: EntityManager) => Promise<Result>,
  ): Promise<Result> {
    requireDataSource(dataSource);
    const { watch } = subscriberOf(dataSource);
    try {
      return await watch.transaction(dataSource, work);
    } catch (error) {
      throw toConflict(error, dataSource.options);
    }
  }

  /**
   * Takes the next number of a series. Call it as late in the transaction as you can: until the commit, other
   * transactions wait.
   *
   * @param name name of the series
   * @throws SeriesTransactionError outside of a transaction, or if the work of the same {@link transaction} has numbers on another
   * connection
   * @throws SeriesConflictError, SeriesExhaustedError, StoreRejectedError, StoreUnavailableError; the transaction can't be
   * committed after one of them
   * @throws VoidedSeriesNumberError if the number of `document` was voided
   * @throws InvalidDateError if `date` is not a date
   * @throws InvalidOptionError
   * @example
   * ```ts
   * await series.transaction(dataSource, async (manager) => {
   *   const { text } = await series.next('invoice', { manager, scope: tenantId, document: orderId });
   *   await manager.insert(Invoice, { orderId, tenantId, number: text }); // 'INV-2026-00042'
   * });
   * ```
   */
  async next(name: string, options: SeriesNextOptions): Promise<SeriesNumberTaken> {
    requireOptions('options', options, { ...PLACE, document: true });
    const dataSource = checkedDataSource(options.manager);
    const { document } = options;
    const request = {
      ...this.#requestFor(name, dataSource, options),
      document: document === undefined ? undefined : requireKey('document', document),
    };
    const [subscriber, runner] = writerOf(dataSource, options.manager);
    return subscriber.take(dataSource, runner, request);
  }

  /**
   * Returns the number that the next document would get. Another document may take it first.
   *
   * @throws InvalidDateError, InvalidOptionError, SeriesExhaustedError, StoreRejectedError, StoreUnavailableError
   */
  async peek(name: string, options: SeriesPlace): Promise<SeriesNumberTaken> {
    requireOptions('options', options, PLACE);
    const { manager } = options;
    const dataSource = checkedDataSource(manager);
    const { series, scope, definition, fields, date: given } = this.#requestFor(name, dataSource, options);
    const store = this.#storeIn(dataSource, manager);
    return withSeriesErrors(dataSource, async () => {
      const date = given ?? definition.dateAt(await store.nowMs());
      const period = definition.periodOf(date);
      const number = (await store.last({ series, scope, period })) + 1;
      return {
        text: definition.write({ date, number, scope, fields }),
        number,
        period,
        date: writeDate(date),
      };
    });
  }

  /**
   * Voids a number, and records the reason for `audit()`. The series doesn't issue the number again, and its `document`
   * can't get it again. A later call doesn't change the reason.
   *
   * @param text the text of the number
   * @throws UnknownSeriesNumberError if the series has not issued it in this scope
   * @throws SeriesTransactionError outside of a transaction
   * @throws InvalidOptionError, SeriesConflictError, StoreRejectedError, StoreUnavailableError
   */
  async void(name: string, text: string, options: SeriesVoidOptions): Promise<void> {
    requireOptions('options', options, { manager: true, scope: true, reason: true });
    const { manager, reason } = options;
    const scope = scopeOf(options.scope);
    requireReason(reason);
    requireNumberText(text);
    const dataSource = checkedDataSource(manager);
    this.#definitions.find(name, dataSource);
    const [{ watch }, runner] = writerOf(dataSource, manager);
    const database = this.#databases.in(dataSource);
    const isKnown = await withSeriesErrors(dataSource, () =>
      watch.whileOpen(database, runner, (statements) =>
        new SeriesStore(database, statements).void(name, scope, text, reason),
      ),
    );
    if (!isKnown) throw new UnknownSeriesNumberError(name, text);
  }

  /**
   * Compares the numbers that a series has issued with the rows that have them, including soft-deleted rows, and the rows
   * with the numbers that the series has issued. It reads all rows of the scope, or of the whole table.
   *
   * @returns what it finds in each scope and period
   * @throws InvalidOptionError, StoreRejectedError, StoreUnavailableError
   */
  async audit(name: string, options: SeriesAuditOptions): Promise<SeriesAudit[]> {
    requireOptions('options', options, { manager: true, scope: true, period: true });
    const { manager, period } = options;
    if (period !== undefined) requirePeriod(period);
    const scope = options.scope === undefined ? undefined : scopeOf(options.scope);
    const dataSource = checkedDataSource(manager);
    const { columns } = this.#definitions.find(name, dataSource);
    return withSeriesErrors(dataSource, () =>
      onMaster(dataSource, manager, (master) => {
        const store = this.#storeIn(dataSource, master);
        return new Auditor(store, master, columns).audit({ series: name, scope, period });
      }),
    );
  }

  /**
   * Returns the options of each series by name: those passed to the constructor, and those of `@SeriesNumber()`
   * columns, which are known when the app has booted.
   */
  definitions(): ReadonlyMap<string, SeriesOptions> {
    return this.#definitions.options;
  }

  /**
   * Refuses a DataSource with series that has no `SeriesSubscriber`, is of a kind that can't hold series, or declares one
   * series with two formats. `SeriesModule` calls it while the app starts.
   *
   * @returns whether the DataSource has series, or a subscriber for them
   * @throws SeriesTransactionError, InvalidOptionError
   */
  verify(dataSource: DataSource): boolean {
    requireDataSource(dataSource);
    const hasColumns = [...this.#definitions.in(dataSource).values()].some(
      ({ columns }) => columns.length > 0,
    );
    if (!hasColumns && findSeriesSubscriber(dataSource) === undefined) return false;
    subscriberOf(dataSource);
    // Refuses a database that can't hold series.
    this.#databases.in(dataSource);
    return true;
  }

  /**
   * Returns what to warn of in a DataSource with series that {@link verify} has accepted.
   *
   * @internal
   */
  warnings(dataSource: DataSource): Promise<string[]> {
    return inexactScopes(
      this.#databases.in(dataSource),
      dataSource,
      [...this.#definitions.in(dataSource).values()].flatMap(({ columns }) => columns),
    );
  }

  #storeIn(dataSource: DataSource, manager: EntityManager): SeriesStore {
    const database = this.#databases.in(dataSource);
    return new SeriesStore(database, statementsOf(database, manager));
  }

  #requestFor(name: string, dataSource: DataSource, place: SeriesPlace): NumberRequest {
    const { definition } = this.#definitions.find(name, dataSource);
    const { fields = {}, date } = place;
    requireObject('fields', fields, 'Pass an object with the fields of the format.');
    return {
      series: name,
      definition,
      scope: scopeOf(place.scope),
      date: date === undefined ? undefined : definition.dateOf('date', date),
      document: undefined,
      fields,
    };
  }
}

function checkedDataSource(manager: EntityManager): DataSource {
  requireMethods('manager', manager, ['query'], 'Pass the EntityManager of your transaction.');
  return dataSourceOf(manager);
}

/** Reads on the connection of `manager`, or else of the master: a replica may lack the newest rows. */
async function onMaster<Result>(
  dataSource: DataSource,
  manager: EntityManager,
  read: (master: EntityManager) => Promise<Result>,
): Promise<Result> {
  if (manager.queryRunner) return read(manager);
  const runner = dataSource.createQueryRunner('master');
  try {
    return await read(runner.manager);
  } finally {
    await runner.release();
  }
}

function writerOf(dataSource: DataSource, { queryRunner }: EntityManager): [SeriesSubscriber, QueryRunner] {
  const subscriber = subscriberOf(dataSource);
  return [subscriber, subscriber.watch.beginNumbering(dataSource, queryRunner)];
}

function subscriberOf(dataSource: DataSource): SeriesSubscriber {
  const subscriber = findSeriesSubscriber(dataSource);
  if (subscriber) return subscriber;
  throw new SeriesTransactionError(
    'The DataSource has no SeriesSubscriber, so a transaction that failed to take its number could be committed',
    'Add it to the options of the DataSource: subscribers: [SeriesSubscriber].',
  );
}

function requireDataSource(dataSource: DataSource): void {
  if (InstanceChecker.isDataSource(dataSource)) return;
  throw new InvalidOptionError(
    'dataSource',
    dataSource,
    'is not a DataSource of TypeORM',
    'Pass the DataSource of the documents.',
  );
}

/** Runs work, and turns an error of the database into one of this library. */
async function withSeriesErrors<Result>(
  { options }: DataSource,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toSeriesError(error, options);
  }
}
