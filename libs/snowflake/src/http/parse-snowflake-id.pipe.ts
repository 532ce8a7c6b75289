import {
  type ArgumentMetadata,
  BadRequestException,
  Injectable,
  Optional,
  type PipeTransform,
} from '@nestjs/common';
import {
  CLIENT_ID_OPTIONS,
  type ClientIdOptions,
  ClientIdReader,
  InvalidOptionError,
  requireBoolean,
  requireFunction,
  requireOptions,
  requireWholeNumber,
} from '../core/index.js';

/** Options of {@link ParseSnowflakeIdPipe}. */
export interface ParseSnowflakeIdPipeOptions extends ClientIdOptions {
  /** Whether a missing value passes, as undefined or null. Default: false. */
  readonly optional?: boolean;
  /** Whether the value is a list: `?ids=1,2` or `?ids=1&ids=2`. Default: false. */
  readonly array?: boolean;
  /** Separates the IDs of a list in one string. Default: `','`. */
  readonly separator?: string;
  /** The largest number of IDs in a list. Bounds: 1 to 10,000. Default: 100. */
  readonly maxItems?: number;
  /** Makes the exception from the message. Default: BadRequestException, which responds with 400. */
  readonly exceptionFactory?: (message: string) => unknown;
}

const PIPE_OPTIONS = {
  optional: true,
  array: true,
  separator: true,
  maxItems: true,
  exceptionFactory: true,
} satisfies Record<Exclude<keyof ParseSnowflakeIdPipeOptions, keyof ClientIdOptions>, true>;

/**
 * Accepts an ID in a path, a query or a header, and returns it in decimal digits. Responds with 400 to everything else.
 *
 * ```ts
 * findOne(@Param('id', ParseSnowflakeIdPipe) id: string) { … }
 * findMany(@Query('ids', new ParseSnowflakeIdPipe({ array: true })) ids: string[]) { … }
 * findPublic(@Param('id', new ParseSnowflakeIdPipe({ codec: prefixedCodec('ord') })) id: string) { … }
 * ```
 */
@Injectable()
export class ParseSnowflakeIdPipe implements PipeTransform<unknown, string | string[] | undefined | null> {
  readonly #reader: ClientIdReader;
  readonly #options: Required<
    Pick<ParseSnowflakeIdPipeOptions, 'optional' | 'array' | 'separator' | 'maxItems'>
  >;
  readonly #exceptionFactory: (message: string) => unknown;

  /** @throws InvalidOptionError */
  constructor(@Optional() options: ParseSnowflakeIdPipeOptions = {}) {
    requireOptions('options', options, { ...CLIENT_ID_OPTIONS, ...PIPE_OPTIONS });
    const {
      optional = false,
      array = false,
      separator = ',',
      maxItems = 100,
      exceptionFactory,
      ...client
    } = options;
    this.#reader = new ClientIdReader(client);
    this.#options = {
      optional: requireBoolean('optional', optional),
      array: requireBoolean('array', array),
      separator: requireSeparator(separator),
      maxItems: requireWholeNumber('maxItems', maxItems, 1, 10_000),
    };
    this.#exceptionFactory = exceptionFactory
      ? requireFunction('exceptionFactory', exceptionFactory)
      : (message) => new BadRequestException(message);
  }

  /** @throws BadRequestException, or what `exceptionFactory` makes */
  transform(value: unknown, { data, type }: ArgumentMetadata): string | string[] | undefined | null {
    const { optional, array } = this.#options;
    if (optional && (value === undefined || value === null)) return value;
    const name = data ?? type;
    return array ? this.#list(value, name) : this.#one(value, name);
  }

  #one(value: unknown, name: string): string {
    const { id, problem } = this.#reader.read(value);
    if (problem === undefined) return id;
    throw this.#exceptionFactory(this.#reader.message(name, problem));
  }

  #list(value: unknown, name: string): string[] {
    const { separator, maxItems } = this.#options;
    const items: unknown[] =
      typeof value === 'string' ? value.split(separator) : Array.isArray(value) ? value : [value];
    if (items.length > maxItems) {
      throw this.#exceptionFactory(`${name} has ${items.length} IDs. Send at most ${maxItems}.`);
    }
    return items.map((item, at) => this.#one(item, `${name}[${at}]`));
  }
}

function requireSeparator(separator: unknown): string {
  if (typeof separator === 'string' && separator !== '' && !/\w/.test(separator)) return separator;
  throw new InvalidOptionError('separator', separator, "can't separate IDs", "Use for example ',' or ';'.");
}
