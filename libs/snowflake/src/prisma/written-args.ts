import { InvalidIdError } from '../core/errors/input-errors.js';
import { MAX_ID, wordsOf } from '../core/ids/id-words.js';
import type { SnowflakeModels } from './snowflake-models.js';

type Values = Readonly<Record<string, unknown>>;

/** A model as the walk needs it: with maps, because a field can be named `constructor`. */
interface Plan {
  readonly keys: readonly string[];
  /** All fields that hold IDs. */
  readonly ids: ReadonlySet<string>;
  readonly relations: ReadonlyMap<string, string>;
}

const NOTHING: Plan = { keys: [], ids: new Set(), relations: new Map() };

/** Nested operations whose argument has the same parts as that of the operation of the same name on the client. */
const OPERATIONS: ReadonlySet<string> = new Set([
  'createMany',
  'connectOrCreate',
  'upsert',
  'update',
  'updateMany',
]);

/** Fills and checks the arguments of operations of Prisma. Copies what it changes, because the app may use its objects again. */
export class WrittenArgs {
  readonly #plans: ReadonlyMap<string, Plan>;

  constructor(
    { models }: SnowflakeModels,
    private readonly nextBigInt: () => bigint,
  ) {
    this.#plans = new Map(
      Object.entries(models).map(([name, { keys, references, relations }]) => [
        name,
        {
          keys: Object.keys(keys),
          ids: new Set([...Object.keys(keys), ...Object.keys(references)]),
          relations: new Map(Object.entries(relations)),
        },
      ]),
    );
  }

  /**
   * Returns the arguments of an operation in which every row to create has its keys, at any depth.
   *
   * @throws InvalidIdError for a key that is no ID, and for a number that JavaScript has rounded
   */
  of(model: string, operation: string, args: Values): Values {
    const written: Record<string, unknown> = { ...args };
    for (const [part, value] of Object.entries(args)) {
      if (!isObject(value)) continue;
      if (part === 'create' || (part === 'data' && operation.startsWith('create')))
        written[part] = each(value, (row) => this.#row(model, row));
      else if (part === 'data' || part === 'update') written[part] = this.#change(model, value);
      else this.#refuseRounded(model, value);
    }
    return written;
  }

  /**
   * Makes the ID of a row before those of the rows below it, so that it is the smallest. It is the first property of an empty object,
   * because V8 is ten times slower to add one to a copy.
   */
  #row(model: string, row: Values): Values {
    const written: Record<string, unknown> = {};
    for (const key of this.#planOf(model).keys) if (row[key] === undefined) written[key] = this.nextBigInt();
    return this.#change(model, row, written);
  }

  /** Copies the values to `written`, checks them, and fills what is below them. */
  #change(model: string, values: Values, written: Record<string, unknown> = {}): Values {
    const { ids, relations } = this.#planOf(model);
    for (const field of Object.keys(values)) {
      const value = values[field];
      const related = relations.get(field);
      if (ids.has(field)) requireId(value, model, field);
      if (related !== undefined && isObject(value)) written[field] = this.#nested(related, value);
      else if (value !== undefined || !(field in written)) written[field] = value;
    }
    return written;
  }

  #nested(model: string, operations: Values): Values {
    const names = Object.keys(operations);
    // Not a copy of Prisma.skip, which is an object that only Prisma itself can make.
    if (names.length === 0) return operations;
    return Object.fromEntries(names.map((name) => [name, this.#nestedArgs(model, name, operations[name])]));
  }

  #nestedArgs(model: string, operation: string, args: unknown): unknown {
    if (!isObject(args)) return args;
    if (operation === 'create') return each(args, (row) => this.#row(model, row));
    // The only row of a relation can be changed without naming it.
    if (operation === 'update' && !Array.isArray(args) && !isObject(args['data']))
      return this.#change(model, args);
    if (OPERATIONS.has(operation)) return each(args, (one) => this.of(model, operation, one));
    this.#refuseRounded(model, args);
    return args;
  }

  /** Refuses rounded numbers in conditions, which could find another row. */
  #refuseRounded(model: string, conditions: Values): void {
    const { ids, relations } = this.#planOf(model);
    for (const [name, value] of Object.entries(conditions)) {
      if (ids.has(name)) requireExact(value, model, name);
      else if (isObject(value)) this.#refuseRounded(relations.get(name) ?? model, value);
    }
  }

  #planOf(model: string): Plan {
    return this.#plans.get(model) ?? NOTHING;
  }
}

/** Excludes byte arrays, which are values. */
function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
}

/** Prisma takes one, or an array of them. */
function each(value: Values, change: (one: Values) => Values): unknown {
  return Array.isArray(value)
    ? value.map((one: unknown) => (isObject(one) ? change(one) : one))
    : change(value);
}

/** Passes on an exact number, NULL of an optional reference, and operations such as `{ set: id }`. */
function requireId(value: unknown, model: string, field: string): void {
  if (typeof value === 'bigint' && value >= 0n && value <= MAX_ID) return;
  requireExact(value, model, field);
  if (value === undefined || value === null || typeof value === 'object') return;
  try {
    wordsOf(typeof value === 'number' ? BigInt(value) : (value as string | bigint));
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
