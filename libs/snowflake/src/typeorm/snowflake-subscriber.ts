import type { DataSource, EntitySubscriberInterface, InsertEvent, ObjectLiteral } from 'typeorm';
import { MissingSubscriberError, UnknownInstanceError, type IdSource } from '../core/index.js';
import { attachedSources } from './attached-sources.js';
import { isValue } from './column-values.js';
import { writeIdsAsLiterals } from './id-literals.js';
import { givenId } from './given-id.js';
import { refuseSecondRow } from './one-row-per-object.js';
import { snowflakeColumnsOf, type GeneratedColumn, type SnowflakeColumns } from './snowflake-columns.js';

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
   * @throws InvalidIdError, UnknownInstanceError, MissingSubscriberError, InvalidOptionError for one object in two rows
   * that would share an ID, and whatever `source` throws, unchanged
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
    const { own, shared, generated } = snowflakeColumnsOf(metadata);
    if (entity === undefined) return; // The row of a junction table.
    // TypeORM 0.3 has `connection` only.
    const dataSource = event.dataSource ?? event.connection;
    writeIdsAsLiterals(dataSource);
    const missing = normalizeGivenIds(entity, own);
    checkSharedIds(entity, shared);
    refuseSecondRow(entity, metadata, generated, missing);
    let canIssue = true;
    for (const each of missing) canIssue = this.sourceFor(dataSource, each).canIssue && canIssue;
    if (!canIssue) return this.assignLater(entity, dataSource, missing);
    for (const each of missing) assign(entity, each, this.sourceFor(dataSource, each));
  }

  /** All sources are known before one is waited for: a wait that nobody looks at could reject unhandled. */
  private assignLater(
    entity: ObjectLiteral,
    dataSource: DataSource,
    missing: readonly GeneratedColumn[],
  ): Promise<void> {
    const assignments = missing.map((each) => ({ ...each, source: this.sourceFor(dataSource, each) }));
    return handledLater(assignWhenReady(entity, assignments));
  }
}

/**
 * Gives the IDs that the app has set their one form.
 *
 * @returns what is missing and to be made
 * @throws InvalidIdError
 */
function normalizeGivenIds(entity: ObjectLiteral, columns: SnowflakeColumns['own']): GeneratedColumn[] {
  const missing: GeneratedColumn[] = [];
  for (const { column, generated } of columns) {
    const value: unknown = column.getEntityValue(entity);
    if (isMissing(value)) {
      if (generated !== undefined) missing.push(generated);
      continue;
    }
    if (isSqlExpression(value)) continue;
    const id = givenId(value);
    if (id !== value) column.setEntityValue(entity, id);
  }
  return missing;
}

/** @throws InvalidIdError */
function checkSharedIds(entity: ObjectLiteral, columns: SnowflakeColumns['shared']): void {
  for (const column of columns) {
    const value: unknown = column.getEntityValue(entity);
    if (isValue(value)) givenId(value);
  }
}

function isMissingIn(entity: ObjectLiteral, { column }: GeneratedColumn): boolean {
  return isMissing(column.getEntityValue(entity));
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

/** The insert query builder takes SQL as a function that returns it. */
function isSqlExpression(value: unknown): boolean {
  return typeof value === 'function';
}

function assign(entity: ObjectLiteral, { column }: GeneratedColumn, source: IdSource): void {
  column.setEntityValue(entity, source.nextId());
}

/** From the sources that were waited for, whatever was attached meanwhile. */
async function assignWhenReady(
  entity: ObjectLiteral,
  assignments: readonly (GeneratedColumn & { readonly source: IdSource })[],
): Promise<void> {
  await Promise.all(assignments.map(({ source }) => source.ready()));
  for (const assignment of assignments) {
    if (isMissingIn(entity, assignment)) assign(entity, assignment, assignment.source);
  }
}

/** Keeps a rejection from counting as unhandled, should somebody else's throw end the batch before TypeORM awaits it. */
function handledLater(outcome: Promise<void>): Promise<void> {
  outcome.catch(() => undefined);
  return outcome;
}
