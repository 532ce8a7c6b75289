import type { DataSource, QueryRunner } from 'typeorm';
import type { SnowflakeError } from 'nestjs-snowflake/core';
import type { CallMeter } from 'nestjs-snowflake/internal/kit/call-meter';
import { writeDate, type CivilDate } from '../core/civil-date.js';
import type { SeriesDefinition } from '../core/series-definition.js';
import { toSeriesError } from '../database/database-errors.js';
import type { SeriesDatabases } from '../database/series-database.js';
import {
  type EntryRequest,
  type SeriesKey,
  SeriesStore,
  type WaitListener,
} from '../database/series-store.js';
import type { SeriesNumberTaken } from '../database/series-types.js';
import type { TransactionWatch } from './transaction-watch.js';

/** A request for the next number of a series, checked as far as it can be without the database. */
export interface NumberRequest {
  readonly series: string;
  readonly definition: SeriesDefinition;
  readonly scope: string;
  /** The document's date. Without it, that of the database's clock counts. */
  readonly date: CivilDate | undefined;
  readonly document: string | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
}

interface Waiting {
  readonly request: NumberRequest;
  /** How deep the transaction was when it was made. */
  readonly askedAt: number;
  readonly resolve: (entry: SeriesNumberTaken) => void;
  readonly reject: (error: unknown) => void;
}

interface Dated extends Waiting {
  readonly key: SeriesKey;
  readonly entry: EntryRequest;
}

/**
 * Takes the numbers of each transaction one after the other. Requests of the same moment, such as those of a `save` of many
 * rows, are sorted by series, scope and period: transactions that take the same series lock them in the same order.
 */
export class NumberQueue {
  /** Measures the requests; absent without a module. */
  meter: CallMeter | undefined;
  private readonly waiting = new WeakMap<QueryRunner, Waiting[]>();

  constructor(
    private readonly watch: TransactionWatch,
    private readonly databases: SeriesDatabases,
  ) {}

  /** Takes a number. Requests that are made before the next turn of the microtask queue are served together. */
  take(dataSource: DataSource, runner: QueryRunner, request: NumberRequest): Promise<SeriesNumberTaken> {
    return new Promise((resolve, reject) => {
      const asked = { request, askedAt: this.watch.on(runner)?.depth ?? 1, resolve, reject };
      const waiting = this.waiting.get(runner);
      if (waiting) {
        waiting.push(asked);
        return;
      }
      const first = [asked];
      this.waiting.set(runner, first);
      void Promise.resolve().then(() => this.serve(dataSource, runner, first));
    });
  }

  private async serve(dataSource: DataSource, runner: QueryRunner, waiting: Waiting[]): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0);
      const waits = new Map<string, number>();
      const failure = await this.serveBatch(dataSource, runner, batch, (series, waitedMs) => {
        waits.set(series, (waits.get(series) ?? 0) + waitedMs);
      });
      this.measure(batch, waits, failure?.code);
    }
    this.waiting.delete(runner);
  }

  /** Takes the numbers of all requests. If that fails, rejects the requests with the error, and returns it. */
  private async serveBatch(
    dataSource: DataSource,
    runner: QueryRunner,
    batch: readonly Waiting[],
    onWaited: WaitListener,
  ): Promise<SnowflakeError | undefined> {
    const { watch } = this;
    try {
      // Another request of the transaction may have failed meanwhile.
      watch.beginNumbering(dataSource, runner);
      const database = this.databases.in(dataSource);
      await watch.whileOpen(database, runner, (statements) =>
        takeAll(new SeriesStore(database, statements, onWaited), batch, ({ askedAt, resolve }, entry) => {
          watch.on(runner)?.addNumber(entry.text, askedAt);
          resolve(entry);
        }),
      );
      return undefined;
    } catch (error) {
      const failure = toSeriesError(error, dataSource.options);
      watch.on(runner)?.fail(failure);
      for (const { reject } of batch) reject(failure);
      return failure;
    }
  }

  /** Records the requests of each series together, and how long they waited for its counters. */
  private measure(
    batch: readonly Waiting[],
    waits: ReadonlyMap<string, number>,
    code: string | undefined,
  ): void {
    const counts = new Map<string, number>();
    for (const { request } of batch) counts.set(request.series, (counts.get(request.series) ?? 0) + 1);
    for (const [operation, count] of counts) {
      this.meter?.record({ operation, code, durationMs: waits.get(operation), count });
    }
  }
}

async function takeAll(
  store: SeriesStore,
  batch: readonly Waiting[],
  give: (waiting: Waiting, entry: SeriesNumberTaken) => void,
): Promise<void> {
  const needsClock = batch.some(({ request }) => request.date === undefined);
  const nowMs = needsClock ? await store.nowMs() : 0;
  const dated = batch.map((each) => datedAt(nowMs, each));
  for (const group of sortedGroups(dated)) {
    const [{ key }] = group;
    const entries = await store.take(
      key,
      group.map(({ entry }) => entry),
    );
    for (const [at, waiting] of group.entries()) {
      const entry = entries[at];
      if (entry) give(waiting, entry);
    }
  }
}

function datedAt(nowMs: number, waiting: Waiting): Dated {
  const { series, scope, definition, document, fields, date = definition.dateAt(nowMs) } = waiting.request;
  return {
    ...waiting,
    key: { series, scope, period: definition.periodOf(date) },
    entry: {
      date: writeDate(date),
      document,
      write: (number) => definition.write({ date, number, scope, fields }),
    },
  };
}

/** Returns the requests of each counter, in the order in which all transactions lock counters. */
function sortedGroups(dated: readonly Dated[]): [Dated, ...Dated[]][] {
  const groups = new Map<string, [Dated, ...Dated[]]>();
  for (const each of dated) {
    const key = JSON.stringify([each.key.series, each.key.scope, each.key.period]);
    const group = groups.get(key);
    if (group) group.push(each);
    else groups.set(key, [each]);
  }
  return [...groups].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group);
}
