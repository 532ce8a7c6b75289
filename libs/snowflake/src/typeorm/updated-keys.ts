import { QueryBuilder, UpdateQueryBuilder, type ObjectLiteral, type UpdateResult } from 'typeorm';
import { holdsValue } from './column-values.js';
import { snowflakeColumnsOf } from './snowflake-columns.js';

type ExpressionMap = UpdateQueryBuilder<ObjectLiteral>['expressionMap'];

/** The builder of an UPDATE, and that of a soft delete. */
interface Builder {
  readonly expressionMap: ExpressionMap;
  execute(): Promise<UpdateResult>;
}

let keepsKeys = false;

/**
 * Lets every object of `whereEntity([…])` keep its key and the IDs next to it.
 *
 * Why: an UPDATE with `returning` tells its rows in an order of its own, and TypeORM gives the first one to the first
 * object. Saved later, that object would write into the row of its neighbour.
 */
export function keepKeysOfUpdates(): void {
  if (keepsKeys) return;
  keepsKeys = true;
  keepKeysOf(UpdateQueryBuilder.prototype);
  // TypeORM does not export the builder of a soft delete: the first one that is made shows its class.
  const { softDelete, restore } = QueryBuilder.prototype;
  let isKnown = false;
  const known = <Made extends Builder>(builder: Made): Made => {
    const prototype: unknown = Object.getPrototypeOf(builder);
    if (!isKnown && isBuilder(prototype)) keepKeysOf(prototype);
    isKnown = true;
    return builder;
  };
  QueryBuilder.prototype.softDelete = function (this: QueryBuilder<ObjectLiteral>) {
    return known(softDelete.call(this));
  };
  QueryBuilder.prototype.restore = function (this: QueryBuilder<ObjectLiteral>) {
    return known(restore.call(this));
  };
}

function isBuilder(prototype: unknown): prototype is Builder {
  return typeof prototype === 'object' && prototype !== null && Object.hasOwn(prototype, 'execute');
}

function keepKeysOf(prototype: Builder): void {
  const { execute } = prototype;
  prototype.execute = async function (this: Builder) {
    const restore = restorerOf(this.expressionMap);
    const result = await execute.call(this);
    restore?.();
    return result;
  };
}

/** What the statement itself writes is left to TypeORM. */
function restorerOf(expressionMap: ExpressionMap): (() => void) | undefined {
  const { mainAlias, whereEntities, returning, updateEntity, valuesSet = {} } = expressionMap;
  if (!mainAlias?.hasMetadata || !updateEntity || whereEntities.length < 2 || !returning?.length) {
    return undefined;
  }
  const kept = snowflakeColumnsOf(mainAlias.metadata).kept.filter(
    (column) => column.getEntityValue(valuesSet) === undefined,
  );
  const keys = whereEntities.flatMap((object) =>
    kept.map((column) => ({ object, column, value: column.getEntityValue(object) as unknown })),
  );
  return () => {
    for (const { object, column, value } of keys) {
      if (!holdsValue(column, object, value)) column.setEntityValue(object, value);
    }
  };
}
