import { seeDocs } from '../../core/see-docs.js';
import { InvalidIdError, InvalidOptionError } from '../../core/errors/input-errors.js';
import { requireMethods, requireObject } from '../../core/options/option-checks.js';
import type { SnowflakeModels } from './snowflake-models.js';
import { WrittenArgs } from './written-args.js';

/** What generates the IDs: a `SnowflakeIdMaker`, or a `LateIdMaker`, which can't wait for a lease. */
export interface PrismaIdMaker {
  nextBigInt(): bigint;
  readonly canIssue?: boolean;
  ready?(): Promise<void>;
}

/** The argument of `$extends()`. It leaves the types of the client as they are. */
export type SnowflakeExtension = (client: ExtendableClient) => {
  $extends: { extArgs: Record<'result' | 'model' | 'query' | 'client', Record<never, never>> };
};

/** The part of a Prisma client that an extension needs. */
export interface ExtendableClient {
  $extends: unknown;
  $on?: unknown;
}

/** The argument of a query hook of Prisma. */
interface Operation {
  readonly model: string;
  readonly operation: string;
  /** A deep copy of what the app has passed. */
  readonly args: Record<string, unknown>;
  query(args: unknown): Promise<unknown>;
}

/** The property of an extended client that {@link modelsOf} reads. */
const MODELS = '$snowflakeModels';

/**
 * Returns an extension of the Prisma client that assigns IDs to new rows, including those of nested writes. Keeps a key that the app passes.
 * If `ids` has no lease yet, the first write that needs an ID waits for the lease.
 *
 * It must be the first extension of the client, because extensions before it would see rows without keys.
 *
 * @param models what the generator `nestjs-snowflake-prisma` writes
 * @throws InvalidOptionError, including from `$extends()` if it is not the first extension
 * @throws InvalidIdError from an operation if a key is not an ID, or is a number that JavaScript has rounded
 * @example
 * ```ts
 * const db = new PrismaClient({ adapter }).$extends(snowflakeIds(ids, snowflakeModels));
 * const order = await db.order.create({ data: { note: 'gift', lines: { create: [{ sku: 'PEN' }] } } });
 * console.log(order.id); // 382475217496248322n
 * ```
 */
export function snowflakeIds(ids: PrismaIdMaker, models: SnowflakeModels): SnowflakeExtension {
  requireMethods('ids', ids, ['nextBigInt'], 'Pass a SnowflakeIdMaker.');
  const remedy = 'Pass snowflakeModels, which "prisma generate" writes.';
  requireObject('models.models', requireObject('models', models, remedy) && models.models, remedy);
  const written = new WrittenArgs(models, () => ids.nextBigInt());
  const run = ({ model, operation, args, query }: Operation): Promise<unknown> => {
    written.fill(model, operation, args);
    return query(args);
  };
  // An async function would make one more promise, which costs each operation as much as the walk.
  const $allOperations = (operation: Operation): Promise<unknown> => {
    try {
      return run(operation);
    } catch (error) {
      if (error instanceof InvalidIdError || ids.ready === undefined || ids.canIssue !== false) throw error;
      return ids.ready().then(() => run(operation));
    }
  };
  return (client) => {
    requireFirst(client);
    const extend = client.$extends as (extension: object) => ReturnType<SnowflakeExtension>;
    const query = { $allModels: { $allOperations } };
    return extend.call(client, { name: 'nestjs-snowflake', client: { [MODELS]: models }, query });
  };
}

/** As Prisma documents, only a client without extensions has `$on()`. */
function requireFirst(client: ExtendableClient): void {
  const remedy = 'Pass snowflakeIds(ids, models) to $extends() of a client of Prisma.';
  if (typeof requireMethods('client', client, ['$extends'], remedy).$on === 'function') return;
  throw new InvalidOptionError(
    '$extends',
    'snowflakeIds()',
    'is not the first extension of the client, so the extensions before it would see rows without IDs',
    `Call $extends(snowflakeIds(ids, models)) first. ${seeDocs('guides/prisma')}`,
  );
}

/** Returns the models of a client that {@link snowflakeIds} has extended. @throws InvalidOptionError for another client */
export function modelsOf(client: object): SnowflakeModels {
  const models: unknown = Reflect.get(client, MODELS);
  if (models !== undefined) return models as SnowflakeModels;
  throw new InvalidOptionError(
    'client',
    client,
    'is not extended by snowflakeIds(), so nothing assigns its IDs',
    `Pass the client that $extends(snowflakeIds(ids, models)) returned. ${seeDocs('guides/prisma')}`,
  );
}
