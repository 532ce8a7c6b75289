import { getMetadataArgsStorage } from 'typeorm';
import { InvalidOptionError } from '../core/index.js';
import { givenId } from './given-id.js';
import { readerOf, type IdReader } from './known-layouts.js';
import { GeneratedIdTransformer } from './snowflake-id-transformer.js';

/**
 * When the ID of an entity was made, to the tick: a time of creation that needs no column. Meant for a getter:
 *
 * ```ts
 * @Entity() class Order {
 *   @SnowflakeId() id!: string;
 *
 *   @Expose() // of class-transformer: part of the answer under ClassSerializerInterceptor
 *   get createdAt(): Date | undefined {
 *     return createdAtOf(this);
 *   }
 * }
 * ```
 *
 * TypeORM neither stores nor selects a getter; filter and sort by the ID instead. `JSON.stringify` leaves getters of
 * a class out.
 *
 * The ID is the entity's only `@SnowflakeId()`, or the only one that is a primary key. The bit layout is that of its
 * generator; where that is not known (see {@link createdBetween}), pass `ids`.
 *
 * @returns `undefined` as long as the entity has no ID: before it is saved, or when `select` left it out
 * @throws InvalidOptionError when the class has no such ID, or the layout is not known
 * @throws InvalidIdError when the ID is none of this layout
 */
export function createdAtOf(entity: object, ids?: IdReader): Date | undefined {
  const { property, generator } = idOf(entity.constructor);
  const id: unknown = Reflect.get(entity, property);
  if (id === undefined || id === null) return undefined;
  return (ids ?? readerOf(generator)).decode(givenId(id)).timestamp;
}

interface DeclaredId {
  readonly property: string;
  readonly generator: string;
}

const known = new WeakMap<object, DeclaredId>();

/** Looked up once for each class: a getter is called for every row of an answer. */
function idOf(entity: object): DeclaredId {
  let id = known.get(entity);
  if (id === undefined) known.set(entity, (id = declaredId(entity)));
  return id;
}

/** @throws InvalidOptionError */
function declaredId(entity: object): DeclaredId {
  const declared = getMetadataArgsStorage().columns.flatMap(({ target, propertyName, options }) => {
    const { transformer, primary = false } = options;
    if (!(transformer instanceof GeneratedIdTransformer) || !inherits(entity, target)) return [];
    return [{ property: propertyName, generator: transformer.generator, primary, target }];
  });
  // A class may declare the ID of its parent anew.
  const own = declared.filter(
    ({ property, target }) =>
      !declared.some((other) => other.property === property && isAncestor(target, other.target)),
  );
  const primary = own.filter((id) => id.primary);
  const candidates = primary.length > 0 ? primary : own;
  const [id] = candidates;
  if (id !== undefined && candidates.length === 1) return id;
  throw new InvalidOptionError(
    'entity',
    typeof entity === 'function' ? entity.name : entity,
    id === undefined ? 'declares no @SnowflakeId()' : 'has several IDs that were made for it',
    'Read the one that you mean: ids.decode(order.id).timestamp.',
  );
}

function inherits(entity: object, declaring: unknown): boolean {
  return entity === declaring || isAncestor(declaring, entity);
}

function isAncestor(parent: unknown, child: unknown): boolean {
  return typeof parent === 'function' && typeof child === 'function' && child.prototype instanceof parent;
}
