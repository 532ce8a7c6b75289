import {
  type ArgumentMetadata,
  BadRequestException,
  Injectable,
  Optional,
  type PipeTransform,
} from '@nestjs/common';
import {
  callback,
  type Checked,
  checkedOptions,
  flag,
  type OptionRules,
  text,
  wholeNumber,
} from '../../core/options/option-rule.js';
import { CLIENT_ID_OPTIONS, ClientIdReader } from '../../core/client-ids/client-id-reader.js';
import type { ClientIdOptions } from '../../core/client-ids/client-id-options.js';

/** Options of {@link ParseSnowflakeIdPipe}. */
export interface ParseSnowflakeIdPipeOptions extends ClientIdOptions {
  /**
   * Whether a missing value, `undefined` or `null`, passes unchanged.
   *
   * @defaultValue `false`
   */
  readonly optional?: boolean;
  /**
   * Whether the value is a list: `?ids=1,2` or `?ids=1&ids=2`.
   *
   * @defaultValue `false`
   */
  readonly array?: boolean;
  /**
   * Separates the IDs of a list in one string.
   *
   * @defaultValue `','`
   */
  readonly separator?: string;
  /**
   * The largest number of IDs in a list.
   * Bounds: 1 to 10,000.
   *
   * @defaultValue `100`
   */
  readonly maxItems?: number;
  /**
   * Creates the exception from the message.
   *
   * @defaultValue `BadRequestException`, which responds with 400
   */
  readonly exceptionFactory?: (message: string) => unknown;
}

export const PIPE_OPTIONS = {
  ...CLIENT_ID_OPTIONS,
  optional: flag().or(false),
  array: flag().or(false),
  separator: text(
    /^\W+$/,
    'contains letters, digits or _, which IDs can contain as well',
    "Use ',' or ';', for example.",
  ).or(','),
  maxItems: wholeNumber(1, 10_000).or(100),
  exceptionFactory: callback<(message: string) => unknown>().or(
    (message: string) => new BadRequestException(message),
  ),
} satisfies OptionRules<ParseSnowflakeIdPipeOptions>;

/**
 * Accepts an ID in a path, a query or a header, and passes it on in decimal digits. Anything else is answered with 400.
 * With options, a pipe also reads lists and public IDs.
 *
 * @example
 * ```ts
 * findOne(@Param('id', ParseSnowflakeIdPipe) id: string): Promise<Order> {
 *   return this.orders.findOneByOrFail({ id });
 * }
 *
 * findMany(@Query('ids', new ParseSnowflakeIdPipe({ array: true })) ids: string[]): Promise<Order[]> {
 *   return this.orders.findBy({ id: In(ids) });
 * }
 * ```
 */
@Injectable()
export class ParseSnowflakeIdPipe implements PipeTransform<unknown, string | string[] | undefined | null> {
  readonly #reader: ClientIdReader;
  readonly #options: Checked<typeof PIPE_OPTIONS>;

  /** @throws InvalidOptionError */
  constructor(@Optional() options: ParseSnowflakeIdPipeOptions = {}) {
    this.#options = checkedOptions('options', options, PIPE_OPTIONS);
    this.#reader = new ClientIdReader(this.#options);
  }

  /**
   * @param metadata names the value in the exception. Nest passes it; without it, the name is `value`
   * @throws BadRequestException, or the exception of `exceptionFactory`
   */
  transform(value: unknown, metadata?: ArgumentMetadata): string | string[] | undefined | null {
    const { optional, array } = this.#options;
    if (optional && (value === undefined || value === null)) return value;
    const name = metadata?.data ?? metadata?.type ?? 'value';
    return array ? this.#list(value, name) : this.#one(value, name);
  }

  #one(value: unknown, name: string): string {
    const { id, problem } = this.#reader.read(value);
    if (problem === undefined) return id;
    throw this.#options.exceptionFactory(this.#reader.message(name, problem));
  }

  #list(value: unknown, name: string): string[] {
    const { separator, maxItems } = this.#options;
    const items: unknown[] =
      typeof value === 'string' ? value.split(separator) : Array.isArray(value) ? value : [value];
    if (items.length > maxItems) {
      throw this.#options.exceptionFactory(`${name} has ${items.length} IDs. Send at most ${maxItems}.`);
    }
    return items.map((item, at) => this.#one(item, `${name}[${at}]`));
  }
}
