import { InvalidOptionError } from '../../core/errors/input-errors.js';
import type { SnowflakeModel, SnowflakeModels } from '../snowflake-models.js';

/** A field, as the data model meta format (DMMF) of Prisma describes it. */
export interface SchemaField {
  readonly name: string;
  readonly dbName?: string | null;
  readonly kind: string;
  readonly type: string;
  readonly isId?: boolean;
  readonly isList?: boolean;
  readonly default?: unknown;
  /** The text after `///`. */
  readonly documentation?: string;
  /** Of a relation: its scalar fields here, and the fields of the other model that they refer to. */
  readonly relationFromFields?: readonly string[];
  readonly relationToFields?: readonly string[];
}

/** A model, as the DMMF describes it. */
export interface SchemaModel {
  readonly name: string;
  readonly dbName?: string | null;
  readonly schema?: string | null;
  readonly fields: readonly SchemaField[];
}

const MARK = /(^|\s)@snowflake(?!\S)/;

/**
 * Chooses the fields that get IDs: those with `/// @snowflake`, or, if no field has it, every `BigInt @id` that isn't part of a
 * relation.
 *
 * @throws InvalidOptionError for a marked field that can't get IDs, and for one with another default
 */
export function modelsOfSchema(provider: string, models: readonly SchemaModel[]): SnowflakeModels {
  const hasMarks = models.some(({ fields }) => fields.some(isMarked));
  const keysOf = (model: SchemaModel): SchemaField[] =>
    model.fields.filter((field) => (hasMarks ? isMarked(field) : isPlainKey(field, model)));
  const keys = new Map(models.map((model) => [model.name, keysOf(model)]));
  for (const model of models)
    for (const key of keys.get(model.name) ?? []) requireFillable(key, model, hasMarks);
  const isKey = (model: string, field: string): boolean =>
    keys.get(model)?.some(({ name }) => name === field) === true;
  return {
    provider,
    models: Object.fromEntries(
      models.map((model) => [model.name, modelOf(model, keys.get(model.name) ?? [], isKey)]),
    ),
  };
}

function modelOf(
  { name, dbName, schema, fields }: SchemaModel,
  keys: readonly SchemaField[],
  isKey: (model: string, field: string) => boolean,
): SnowflakeModel {
  const relations = fields.filter(({ kind }) => kind === 'object');
  const referring = new Set(
    relations.flatMap(({ type, relationFromFields = [], relationToFields = [] }) =>
      relationFromFields.filter((_, at) => isKey(type, relationToFields[at] ?? '')),
    ),
  );
  return {
    table: dbName ?? name,
    ...(schema ? { schema } : {}),
    keys: columnsOf(keys),
    references: columnsOf(fields.filter((field) => referring.has(field.name))),
    relations: Object.fromEntries(relations.map((relation) => [relation.name, relation.type])),
  };
}

function columnsOf(fields: readonly SchemaField[]): Record<string, string> {
  return Object.fromEntries(fields.map(({ name, dbName }) => [name, dbName ?? name]));
}

function isMarked({ documentation = '' }: SchemaField): boolean {
  return MARK.test(documentation);
}

function isPlainKey(field: SchemaField, model: SchemaModel): boolean {
  return field.isId === true && field.type === 'BigInt' && !isOfRelation(field, model);
}

/** Whether the field takes its value from another row. */
function isOfRelation({ name }: SchemaField, { fields }: SchemaModel): boolean {
  return fields.some(({ relationFromFields }) => relationFromFields?.includes(name));
}

function requireFillable(field: SchemaField, model: SchemaModel, hasMarks: boolean): void {
  const place = `${model.name}.${field.name}`;
  const type = `${field.type}${field.isList === true ? '[]' : ''}`;
  if (type !== 'BigInt')
    throw new InvalidOptionError(place, type, 'is marked @snowflake, but no BigInt', 'Declare it as BigInt.');
  if (isOfRelation(field, model)) {
    const remedy = 'Remove the mark: the relation sets this field.';
    throw new InvalidOptionError(place, type, 'is marked @snowflake, but part of a relation', remedy);
  }
  const given = showDefault(field.default);
  if (given === undefined) return;
  const others = hasMarks
    ? ''
    : ' To leave this key as it is, mark the keys that get IDs with /// @snowflake.';
  throw new InvalidOptionError(
    place,
    `@default(${given})`,
    'gets IDs, but has a default, which rows written around Prisma would silently get',
    `Declare it with @default(dbgenerated()), without an argument.${others}`,
  );
}

/** Returns the default as the schema writes it; undefined if the column has none. */
function showDefault(given: unknown): string | undefined {
  if (given === undefined || given === null) return undefined;
  if (typeof given !== 'object') return String(given);
  const { name, args = [] } = given as { name: string; args?: readonly unknown[] };
  const shown = args.map((arg) => JSON.stringify(arg)).join(', ');
  return name === 'dbgenerated' && shown === '' ? undefined : `${name}(${shown})`;
}
