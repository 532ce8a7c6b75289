import { InvalidOptionError } from '../../../core/errors/input-errors.js';
import type { SnowflakeModel, SnowflakeModels } from '../snowflake-models.js';

/** A field, as the data model meta format (DMMF) of Prisma describes it. */
export interface SchemaField {
  readonly name: string;
  readonly dbName?: string | null;
  readonly kind: string;
  readonly type: string;
  readonly isId: boolean;
  readonly isList: boolean;
  /** Whether a relation sets it: it is one of the `fields` of a `@relation`. */
  readonly isReadOnly: boolean;
  /** A value, or the call of a function. */
  readonly default?: string | number | boolean | { readonly name: string; readonly args: readonly unknown[] };
  /** The text after `///`. */
  readonly documentation?: string;
  /** Of a relation: its scalar fields here, and the fields of the other model that they refer to. */
  readonly relationFromFields?: readonly string[];
  readonly relationToFields?: readonly string[];
}

/** A model, as the DMMF describes it. */
export interface SchemaModel {
  readonly name: string;
  readonly dbName: string | null;
  readonly schema?: string | null;
  readonly fields: readonly SchemaField[];
}

/**
 * Chooses the fields that get IDs: those with `/// @snowflake`, or, if no field has it, every `BigInt @id` that isn't part of a
 * relation.
 *
 * @throws InvalidOptionError for a marked field that can't get IDs, and for one with another default
 */
export function modelsOfSchema(provider: string, models: readonly SchemaModel[]): SnowflakeModels {
  const hasMarks = models.some(({ fields }) => fields.some(isMarked));
  const keys = new Set<string>();
  for (const model of models)
    for (const field of model.fields.filter(hasMarks ? isMarked : isPlainKey)) {
      requireFillable(pathOf(model.name, field.name), field);
      keys.add(pathOf(model.name, field.name));
    }
  const references = referencesTo(keys, models);
  const described = models.map((model) => [model.name, modelOf(model, keys, references)]);
  return { provider, models: Object.fromEntries(described) };
}

/** Returns the fields that hold the ID of another row. That row can have the ID from a third one, and so on. */
function referencesTo(keys: ReadonlySet<string>, models: readonly SchemaModel[]): ReadonlySet<string> {
  const references = new Set<string>();
  let knownBefore: number;
  do {
    knownBefore = references.size;
    for (const { name, fields } of models)
      for (const { type, relationFromFields = [], relationToFields = [] } of fields)
        for (const [at, field] of relationFromFields.entries()) {
          const target = pathOf(type, relationToFields[at]);
          if (keys.has(target) || references.has(target)) references.add(pathOf(name, field));
        }
  } while (references.size > knownBefore);
  return references;
}

function modelOf(
  { name, dbName, schema, fields }: SchemaModel,
  keys: ReadonlySet<string>,
  references: ReadonlySet<string>,
): SnowflakeModel {
  const relations = fields.filter(({ kind }) => kind === 'object');
  const columnsIn = (paths: ReadonlySet<string>): Record<string, string> => {
    const held = fields.filter((field) => paths.has(pathOf(name, field.name)));
    return Object.fromEntries(held.map((field) => [field.name, field.dbName ?? field.name]));
  };
  return {
    table: dbName ?? name,
    ...(schema ? { schema } : {}),
    keys: columnsIn(keys),
    references: columnsIn(references),
    relations: Object.fromEntries(relations.map((relation) => [relation.name, relation.type])),
  };
}

function pathOf(model: string, field = ''): string {
  return `${model}.${field}`;
}

function isMarked({ documentation = '' }: SchemaField): boolean {
  return /(^|\s)@snowflake(?!\S)/.test(documentation);
}

function isPlainKey({ isId, type, isReadOnly }: SchemaField): boolean {
  return isId && type === 'BigInt' && !isReadOnly;
}

function requireFillable(path: string, { type, isList, isReadOnly, default: given }: SchemaField): void {
  if (type !== 'BigInt' || isList) {
    const shown = type + (isList ? '[]' : '');
    throw new InvalidOptionError(path, shown, 'is marked @snowflake, but no BigInt', 'Declare it as BigInt.');
  }
  if (isReadOnly) {
    const remedy = 'Remove the mark: the relation sets this field.';
    throw new InvalidOptionError(path, type, 'is marked @snowflake, but part of a relation', remedy);
  }
  const shown = showDefault(given);
  if (shown === undefined || shown === 'dbgenerated()') return;
  throw new InvalidOptionError(
    path,
    `@default(${shown})`,
    'gets IDs, but has a default, which rows that are not written through Prisma would silently get',
    'Declare it with @default(dbgenerated()), without an argument. To leave it as it is, mark only other keys with /// @snowflake.',
  );
}

/** Returns the default as the schema writes it. */
function showDefault(given: SchemaField['default']): string | undefined {
  if (typeof given !== 'object') return given?.toString();
  return `${given.name}(${given.args.map((arg) => JSON.stringify(arg)).join(', ')})`;
}
