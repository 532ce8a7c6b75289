import type { EntityMetadata } from 'typeorm';
import { findSnowflakeColumns } from 'nestjs-snowflake/internal/adapters/typeorm/snowflake-columns';
import { type Finding, finding } from './findings.js';

type Relation = EntityMetadata['relations'][number];

/**
 * Finds relations whose rows TypeORM inserts before the row that they refer to. In single-table inheritance, it looks for the order
 * of a nullable relation by the name of the parent, which the rows of a child entity don't have. The foreign key then refuses a new
 * row that is saved together with a new child entity. A key of the database is not affected: it is unknown until the INSERT, so
 * TypeORM sets the reference afterwards.
 */
export function examineInheritance(entities: readonly EntityMetadata[]): Finding[] {
  const names = entities.flatMap((entity) =>
    entity.relationsWithJoinColumns
      .filter(isInsertedTooEarly)
      .map(({ propertyPath }) => `${entity.name}.${propertyPath}`),
  );
  if (names.length === 0) return [];
  const problem =
    `TypeORM inserts a new row before the new row that it refers to, if that is of a child entity: ${names.join(', ')}. ` +
    'The foreign key refuses such a save.';
  return [finding('CASCADE_TO_CHILD_ENTITY', problem)];
}

function isInsertedTooEarly(relation: Relation): boolean {
  const {
    inverseEntityMetadata: target,
    inverseRelation,
    isCascadeInsert,
    isNullable,
    deferrable,
  } = relation;
  const isDeferred = deferrable === 'INITIALLY DEFERRED';
  return (
    (isCascadeInsert || inverseRelation?.isCascadeInsert === true) &&
    isNullable &&
    !isDeferred &&
    relation.createForeignKeyConstraints &&
    target.childEntityMetadatas.length > 0 &&
    findSnowflakeColumns(target).generated.some(({ column }) => column.isPrimary)
  );
}
