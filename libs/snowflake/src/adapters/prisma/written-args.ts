import { InvalidIdError } from '../../core/errors/input-errors.js';
import { WordsReader } from '../../core/ids/id-words.js';
import type { SnowflakeModel, SnowflakeModels } from './snowflake-models.js';

type Values = Record<string, unknown>;

const NOTHING: SnowflakeModel = { table: '', keys: {}, references: {}, relations: {} };

/** Operations on a relation whose argument has the same parts as that of the operation of the same name on the client. */
const LIKE_CLIENT = new Set(['createMany', 'connectOrCreate', 'upsert', 'update', 'updateMany']);

/** Fills and checks the arguments of operations in place: Prisma passes a copy of them to each extension. */
export class WrittenArgs {
  constructor(
    private readonly models: SnowflakeModels,
    private readonly nextBigInt: () => bigint,
  ) {}

  /**
   * Gives every row to create its keys, at any depth. Filling again what an error has left half filled completes it.
   *
   * @throws InvalidIdError for a key that is no ID, and for a number that JavaScript has rounded
   */
  fill(model: string, operation: string, args: Values): void {
    for (const [part, value] of Object.entries(args)) {
      if (part === 'create' || (part === 'data' && operation.startsWith('create')))
        each(value, (row) => this.#fillRow(model, row));
      else if (part === 'data' || (part === 'update' && operation === 'upsert'))
        each(value, (changes) => this.#fillChanges(model, changes));
      else each(value, (conditions) => this.#refuseRounded(model, conditions));
    }
  }

  /** Fills the operations on a relation, such as `{ create: row }`. Most have the arguments of the client's operation of that name. */
  #fillNested(model: string, operations: Values): void {
    for (const [operation, value] of Object.entries(operations)) {
      if (operation === 'create') each(value, (row) => this.#fillRow(model, row));
      else if (operation === 'update' && isBareChange(value)) this.#fillChanges(model, value);
      else if (LIKE_CLIENT.has(operation)) each(value, (args) => this.fill(model, operation, args));
      else each(value, (conditions) => this.#refuseRounded(model, conditions));
    }
  }

  /** Generates the ID of a row before those of the rows below it, so that it is the smallest. */
  #fillRow(model: string, row: Values): void {
    for (const key of Object.keys(this.#find(model).keys))
      if (row[key] === undefined) row[key] = this.nextBigInt();
    this.#fillChanges(model, row);
  }

  #fillChanges(model: string, values: Values): void {
    const found = this.#find(model);
    for (const [field, value] of Object.entries(values)) {
      const related = relatedBy(found, field);
      if (holdsId(found, field)) requireId(value, model, field);
      if (related !== undefined && isObject(value)) this.#fillNested(related, value);
    }
  }

  /** Refuses rounded numbers in conditions, which could find another row. */
  #refuseRounded(model: string, conditions: Values): void {
    const found = this.#find(model);
    for (const [name, value] of Object.entries(conditions)) {
      if (holdsId(found, name)) requireExact(value, model, name);
      else if (isObject(value)) this.#refuseRounded(relatedBy(found, name) ?? model, value);
    }
  }

  #find(model: string): SnowflakeModel {
    return this.models.models[model] ?? NOTHING;
  }
}

/** Doesn't find what every object inherits, because a field can be named `constructor`. */
function holdsId({ keys, references }: SnowflakeModel, field: string): boolean {
  return Object.hasOwn(keys, field) || Object.hasOwn(references, field);
}

function relatedBy({ relations }: SnowflakeModel, field: string): string | undefined {
  return Object.hasOwn(relations, field) ? relations[field] : undefined;
}

/** Excludes byte arrays, which are values. */
function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
}

/** The only row of a relation can be changed without naming it. */
function isBareChange(update: unknown): update is Values {
  return isObject(update) && !Array.isArray(update) && !isObject(update['data']);
}

/** Prisma takes one, or an array of them. */
function each(value: unknown, visit: (one: Values) => void): void {
  for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) if (isObject(one)) visit(one);
}

const READER = new WordsReader();

/** Passes on an exact number, NULL of an optional reference, and operations such as `{ set: id }`. */
function requireId(value: unknown, model: string, field: string): void {
  requireExact(value, model, field);
  if (value === undefined || value === null || typeof value === 'object') return;
  try {
    READER.read(typeof value === 'number' ? BigInt(value) : (value as string | bigint));
  } catch (error) {
    throw error instanceof InvalidIdError ? refusal(value, error.problem, model, field) : error;
  }
}

/** Looks into filters, such as `{ in: [id] }`. */
function requireExact(value: unknown, model: string, field: string): void {
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    throw refusal(value, 'is a number that may have been rounded', model, field);
  if (isObject(value)) for (const item of Object.values(value)) requireExact(item, model, field);
}

/** Names the field in the remedy, because `problem` may be shown to clients. */
function refusal(value: unknown, problem: string, model: string, field: string): InvalidIdError {
  const remedy = `Pass ${model}.${field} as the bigint of nextBigInt(), or as BigInt(id) of a decimal string.`;
  return new InvalidIdError(value, problem, remedy);
}
