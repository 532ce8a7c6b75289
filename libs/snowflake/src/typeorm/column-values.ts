import type { EntityMetadata, ObjectLiteral } from 'typeorm';

export type ColumnMetadata = EntityMetadata['columns'][number];

/** None: what the database makes, be it of nothing or of SQL, which the query builders take as a function. */
export function isValue(value: unknown): boolean {
  return value !== undefined && value !== null && typeof value !== 'function';
}

/** Where a relation fills the column, `getEntityValue` looks at the related object and not at the property. */
export function holdsValue(column: ColumnMetadata, object: ObjectLiteral, value: unknown): boolean {
  const { relationMetadata, isVirtual, embeddedMetadata, propertyName } = column;
  if (column.getEntityValue(object) !== value) return false;
  if (!relationMetadata || isVirtual || embeddedMetadata) return true;
  const held: unknown = object[propertyName];
  return held === undefined || held === value || held === object[relationMetadata.propertyName];
}
