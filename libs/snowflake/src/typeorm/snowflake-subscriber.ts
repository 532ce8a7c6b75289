import type { DataSource, EntitySubscriberInterface, InsertEvent, ObjectLiteral } from 'typeorm';
import { MissingSubscriberError, UnknownInstanceError, type IdSource } from '../core/index.js';
import { attachedSources } from './attached-sources.js';
import { givenId } from './given-id.js';
import { snowflakeColumnsOf, type GeneratedColumn } from './snowflake-columns.js';

interface Assignment {
  readonly column: GeneratedColumn['column'];
  readonly source: IdSource;
}

/**
 * Assigns missing IDs before an INSERT. TypeORM makes one for each DataSource that lists it; without sources of its
 * own it takes those that were attached to the DataSource.
 */
export class SnowflakeSubscriber implements EntitySubscriberInterface {
  constructor(private readonly ownSources: ReadonlyMap<string, IdSource> = new Map()) {}

  /**
   * Who makes the IDs of a column.
   *
   * @throws MissingSubscriberError, UnknownInstanceError
   */
  sourceFor(dataSource: DataSource, { generator, label }: GeneratedColumn): IdSource {
    const attached = attachedSources(dataSource);
    const source = this.ownSources.get(generator) ?? attached.get(generator);
    if (source !== undefined) return source;
    // Options objects are reused: this DataSource may list the subscriber because another one was attached.
    const isServed = this.ownSources.size > 0 || attached.size > 0;
    throw isServed ? new UnknownInstanceError(generator, label) : new MissingSubscriberError(label);
  }

  /**
   * Synchronous when the IDs can be issued, so that subscribers behind this one see them. Else it waits for
   * `source.ready()`, inside the transaction of a `save`: the source bounds that wait.
   *
   * It rejects and never throws: TypeORM calls the subscribers of a whole batch in one loop, and a throw would
   * leave the promises that it has gathered so far without anybody to handle their rejection.
   *
   * @throws InvalidIdError, UnknownInstanceError, MissingSubscriberError, and whatever `source` throws, unchanged
   */
  beforeInsert(event: InsertEvent<ObjectLiteral>): Promise<void> | void {
    try {
      return this.completeIds(event);
    } catch (error) {
      return handledLater(Promise.reject(error));
    }
  }

  private completeIds(event: InsertEvent<ObjectLiteral | undefined>): Promise<void> | void {
    const { entity, metadata } = event;
    if (entity === undefined) return; // The row of a junction table.
    const { own, generated } = snowflakeColumnsOf(metadata);
    for (const column of own) {
      const value: unknown = column.getEntityValue(entity);
      if (isMissing(value) || isSqlExpression(value)) continue;
      const id = givenId(value);
      if (id !== value) column.setEntityValue(entity, id);
    }
    const missing = generated.filter(({ column }) => isMissing(column.getEntityValue(entity)));
    if (missing.length === 0) return;
    // TypeORM 0.3 has `connection` only.
    const dataSource = event.dataSource ?? event.connection;
    const assignments = missing.map((generatedColumn) => ({
      column: generatedColumn.column,
      source: this.sourceFor(dataSource, generatedColumn),
    }));
    if (assignments.every(({ source }) => source.canIssue)) return assign(entity, assignments);
    return handledLater(assignWhenReady(entity, assignments));
  }
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

/** The insert query builder takes SQL as a function that returns it. */
function isSqlExpression(value: unknown): boolean {
  return typeof value === 'function';
}

function assign(entity: ObjectLiteral, assignments: readonly Assignment[]): void {
  for (const { column, source } of assignments) column.setEntityValue(entity, source.nextId());
}

async function assignWhenReady(entity: ObjectLiteral, assignments: readonly Assignment[]): Promise<void> {
  await Promise.all(assignments.map(({ source }) => source.ready()));
  assign(entity, assignments);
}

/** Keeps a rejection from counting as unhandled, should somebody else's throw end the batch before TypeORM awaits it. */
function handledLater(outcome: Promise<void>): Promise<void> {
  outcome.catch(() => undefined);
  return outcome;
}
