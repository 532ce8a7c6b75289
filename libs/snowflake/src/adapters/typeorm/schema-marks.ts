import { SNOWFLAKE_COLUMNS, type SnowflakeMark } from './snowflake-marks.js';

/** A symbol survives `{ ...options }`; TypeORM copies only the options that it knows, so the library reads it itself. */
export const MARK = Symbol.for('nestjs-snowflake:column');

/** The part of a schema that is read here. The full type doesn't fit, because an embedded schema has other type parameters. */
interface SchemaLike {
  readonly options: {
    readonly name: string;
    readonly target?: unknown;
    readonly columns: object;
    readonly embeddeds?: object;
  };
}

interface MarkedProperty {
  readonly target: unknown;
  readonly property: string;
  readonly mark: SnowflakeMark;
}

/** Returns the Snowflake columns of a schema and of its embedded schemas. */
export function marksIn({
  options: { name, target = name, columns, embeddeds = {} },
}: SchemaLike): MarkedProperty[] {
  const own = Object.entries(columns).flatMap(([property, column]: [string, { [MARK]?: SnowflakeMark }]) => {
    const mark = column[MARK];
    return mark === undefined ? [] : [{ target, property, mark }];
  });
  const embedded = Object.values(embeddeds) as { readonly schema?: SchemaLike }[];
  return [...own, ...embedded.flatMap(({ schema }) => (schema ? marksIn(schema) : []))];
}

/** Returns whether the call of `snowflakeSchema()` is missing. */
export function isUnwrapped(schema: SchemaLike): boolean {
  return marksIn(schema).some(({ target, property }) => !SNOWFLAKE_COLUMNS.declaredBy(target).has(property));
}
