import {
  EventSubscriber,
  type DataSource,
  type EntityMetadata,
  type EntitySubscriberInterface,
  type InsertEvent,
  type ObjectLiteral,
  type RemoveEvent,
  type SoftRemoveEvent,
  type TransactionStartEvent,
  type UpdateEvent,
} from 'typeorm';
import { oneInProcess } from '../../core/process-memory.js';
import type { IdSource } from '../../core/ids/id-source.js';
import { isSynchronized, markSynchronized, rememberSource, sourceOf } from './attached-sources.js';
import { refuseToDropValues } from './dropped-columns.js';
import { sourcesByName, type SnowflakeIdSources } from './id-sources.js';
import { refusedId } from './refused-id.js';
import { OneRowPerObject } from './one-row-per-object.js';
import {
  findSnowflakeColumns,
  readOwn,
  writeOwn,
  type GeneratedColumn,
  type SnowflakeColumns,
} from './snowflake-columns.js';
import { checkKey, checkUpdated, isMissing, normalizeInserted } from './written-ids.js';

/**
 * Assigns missing IDs before an INSERT and checks the IDs to write. List it in the options of a DataSource. It uses the
 * sources that are attached to the DataSource; in Nest, `SnowflakeModule` attaches them.
 *
 * If it is listed, it also refuses a `synchronize: true` that would drop the IDs of existing rows.
 *
 * @example
 * ```ts
 * TypeOrmModule.forRoot({ ...database, autoLoadEntities: true, subscribers: [SnowflakeSubscriber] })
 * ```
 */
@oneInProcess('SnowflakeSubscriber')
@EventSubscriber()
export class SnowflakeSubscriber implements EntitySubscriberInterface<ObjectLiteral> {
  // TypeORM 0.3 creates one subscriber for all DataSources of the process.
  private readonly known = new WeakMap<EntityMetadata, SnowflakeColumns>();
  private readonly rows = new OneRowPerObject();
  /** The rows that wait for an ID, or can't have one. */
  private readonly unassigned = new WeakMap<object, Promise<void>>();

  /**
   * @param ids sources that this subscriber prefers to those attached to the DataSource. Default: none
   * @throws InvalidOptionError if `ids` can't generate IDs
   */
  constructor(ids?: SnowflakeIdSources) {
    if (ids === undefined) return;
    for (const [name, source] of sourcesByName(ids)) rememberSource(this, { kind: 'maker', name }, source);
  }

  /**
   * Refuses `synchronize: true` that would drop IDs. The schema builder's transaction is the first one of a DataSource.
   *
   * @throws ColumnDropError
   */
  beforeTransactionStart(event: TransactionStartEvent): Promise<void> | void {
    const dataSource = dataSourceOf(event);
    if (isSynchronized(dataSource)) return;
    markSynchronized(dataSource);
    return refuseToDropValues(dataSource, (metadata) => findSnowflakeColumns(metadata).all);
  }

  /**
   * Synchronous if the IDs can be issued now, so that later subscribers see them. Otherwise waits for `source.ready()`
   * inside the transaction of a `save`; the source bounds that wait.
   *
   * Rejects and never throws: TypeORM calls the subscribers of a whole batch in one loop, and a throw would leave the
   * promises collected so far without a rejection handler.
   *
   * @throws InvalidIdError, UnknownInstanceError, MissingSubscriberError, InvalidOptionError for one object in two rows
   * that would share an ID, and any error of `source`, unchanged
   */
  beforeInsert(event: InsertEvent<ObjectLiteral | undefined>): Promise<void> | void {
    const { entity } = event;
    if (entity === undefined) return; // The row of a junction table.
    const outcome = this.prepare(entity, event);
    // An object can be inserted again, even as another entity.
    if (outcome) this.unassigned.set(entity, outcome);
    else this.unassigned.delete(entity);
    return outcome;
  }

  /**
   * Resolves when a row that is about to be inserted has its IDs, for another subscriber that needs them. TypeORM calls
   * `beforeInsert` of all subscribers of a batch in one synchronous loop, in the order in which their classes were decorated, and
   * then awaits what they return together. So this method first lets that loop end: by then this subscriber has been called.
   *
   * @internal
   * @throws what {@link beforeInsert} throws for the row
   */
  async assigned(row: object): Promise<void> {
    await Promise.resolve();
    await this.unassigned.get(row);
  }

  /** @throws InvalidIdError */
  beforeUpdate(event: UpdateEvent<ObjectLiteral>): Promise<void> | void {
    const { entity, metadata } = event;
    if (entity === undefined) return;
    return rejectedIfThrown(() => checkUpdated(entity, this.columnsOf(metadata), event));
  }

  /** @throws InvalidIdError for a rounded number, which can be another row's key */
  beforeRemove({ entity, metadata }: RemoveEvent<ObjectLiteral>): Promise<void> | void {
    if (entity === undefined) return;
    return rejectedIfThrown(() => checkKey(entity, this.columnsOf(metadata).all));
  }

  /** @throws InvalidIdError as {@link beforeRemove} */
  beforeSoftRemove(event: SoftRemoveEvent<ObjectLiteral>): Promise<void> | void {
    return this.beforeRemove(event);
  }

  /**
   * Rejects with its own error if PostgreSQL has refused a condition because it compares an ID with something else.
   *
   * @throws InvalidIdError instead of TypeORM's QueryFailedError
   */
  afterQuery(event: {
    readonly query: string;
    readonly parameters?: unknown;
    readonly success?: boolean;
    readonly error?: unknown;
    readonly dataSource?: DataSource;
    readonly connection?: DataSource;
  }): Promise<void> | void {
    const { query, parameters, success, error, dataSource = event.connection } = event;
    if (success !== false || dataSource === undefined || !Array.isArray(parameters)) return;
    const refused = refusedId(dataSource, query, parameters, error);
    if (refused) return handledLater(Promise.reject(refused));
  }

  private prepare(
    entity: ObjectLiteral,
    event: InsertEvent<ObjectLiteral | undefined>,
  ): Promise<void> | void {
    try {
      const columns = this.columnsOf(event.metadata);
      const missing = normalizeInserted(entity, columns);
      if (columns.generated.length === 0) return;
      this.rows.refuseSecondRow(entity, event.metadata, columns.generated, missing);
      return this.assign(entity, dataSourceOf(event), missing);
    } catch (error) {
      return handledLater(Promise.reject(error));
    }
  }

  private assign(
    entity: ObjectLiteral,
    dataSource: DataSource,
    missing: readonly GeneratedColumn[],
  ): Promise<void> | void {
    const assignments = missing.map((column) => ({ column, source: sourceOf(this, dataSource, column) }));
    if (!canIssueAll(assignments)) return handledLater(assignWhenReady(entity, assignments));
    for (const { column, source } of assignments) writeOwn(column, entity, source.nextId());
  }

  private columnsOf(metadata: EntityMetadata): SnowflakeColumns {
    const known = this.known.get(metadata);
    if (known) return known;
    const columns = findSnowflakeColumns(metadata);
    this.known.set(metadata, columns);
    return columns;
  }
}

/** How often a row waits: others may take what has come before it continues. */
const ROUNDS = 100;

/** A column without an ID, and what generates it. */
interface Assignment {
  readonly column: GeneratedColumn;
  readonly source: IdSource;
}

const canIssueAll = (assignments: readonly Assignment[]): boolean =>
  assignments.every(({ source }) => source.canIssue);

/** Uses the sources that were waited for, even if others were attached meanwhile. */
async function assignWhenReady(entity: ObjectLiteral, assignments: readonly Assignment[]): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    await Promise.all(assignments.map(({ source }) => source.ready()));
    if (canIssueAll(assignments)) break;
  }
  for (const { column, source } of assignments) {
    if (isMissing(readOwn(column, entity))) writeOwn(column, entity, source.nextId());
  }
}

/** Keeps a rejection from being unhandled if another subscriber's throw ends the batch before TypeORM awaits it. */
function handledLater(outcome: Promise<void>): Promise<void> {
  outcome.catch(() => undefined);
  return outcome;
}

function rejectedIfThrown(check: () => void): Promise<void> | void {
  try {
    check();
  } catch (error) {
    return handledLater(Promise.reject(error));
  }
}

function dataSourceOf(event: Pick<TransactionStartEvent, 'dataSource' | 'connection'>): DataSource {
  // TypeORM 0.3 has only `connection`.
  return event.dataSource ?? event.connection;
}
