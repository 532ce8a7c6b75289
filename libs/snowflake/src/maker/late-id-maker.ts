import { UnboundMakerError } from '../core/errors/setup-errors.js';
import { requireMethods } from '../core/options/option-checks.js';
import type { SnowflakeIdMaker } from './snowflake-id-maker.js';

/**
 * Generates IDs for code that is loaded before there is an ID maker, such as the schema of an ORM. Its functions can be passed on without
 * the object.
 *
 * @example
 * ```ts
 * export const ids = new LateIdMaker();
 * // In a schema: $defaultFn(ids.nextId). In a module of the app: constructor(maker: SnowflakeIdMaker) { ids.bind(maker); }
 * ```
 */
export class LateIdMaker {
  #ids: Pick<SnowflakeIdMaker, 'nextId' | 'nextBigInt'> | undefined;

  /**
   * Sets the ID maker, whose lease need not be held yet. A later call replaces it, for example by a fake in a test.
   *
   * @throws InvalidOptionError
   */
  bind(ids: Pick<SnowflakeIdMaker, 'nextId' | 'nextBigInt'>): void {
    this.#ids = requireMethods('ids', ids, ['nextId', 'nextBigInt'], 'Pass a SnowflakeIdMaker.');
  }

  /**
   * Returns the next ID as a decimal string.
   *
   * @throws UnboundMakerError before {@link bind}, and what `nextId()` of the ID maker throws
   */
  readonly nextId = (): string => this.#bound().nextId();

  /** Returns the next ID as a bigint. Throws as {@link nextId}. */
  readonly nextBigInt = (): bigint => this.#bound().nextBigInt();

  #bound(): Pick<SnowflakeIdMaker, 'nextId' | 'nextBigInt'> {
    if (this.#ids) return this.#ids;
    throw new UnboundMakerError();
  }
}
