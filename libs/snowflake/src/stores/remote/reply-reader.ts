import { StoreRejectedError } from '../../core/errors/lease-errors.js';
import { showValue } from '../../core/errors/show-value.js';
import type { ObjectSchema, Schema } from '../../kit/schema.js';

type Properties = ObjectSchema['properties'];

/** Reads a JSON object that a service has sent by the schemas of its properties, and keeps nothing else. */
export class ReplyReader {
  constructor(
    private readonly from: unknown,
    private readonly description: string,
  ) {}

  /** Reads one of several replies, which `outcome` tells apart. @throws StoreRejectedError if no service sends it */
  reply<Reply extends object>(
    replies: Readonly<Record<Extract<Reply, { outcome: string }>['outcome'], Properties>>,
    optional?: readonly string[],
  ): Reply {
    const outcome = this.property('outcome');
    if (typeof outcome !== 'string' || !Object.hasOwn(replies, outcome)) return this.refuse();
    const properties = Reflect.get(replies, outcome) as Properties;
    return { outcome, ...this.object<object>(properties, optional) } as Reply;
  }

  /** Reads these properties, without optional ones that are absent. @throws StoreRejectedError if no service sends them */
  object<Read extends object>(properties: Properties, optional: readonly string[] = []): Read {
    const given = Object.entries(properties).filter(
      ([name]) => !optional.includes(name) || this.property(name) !== undefined,
    );
    return Object.fromEntries(
      given.map(([name, schema]) => [name, this.value(this.property(name), schema)]),
    ) as Read;
  }

  /** @throws StoreRejectedError */
  refuse(): never {
    throw new StoreRejectedError(
      `${this.description} replied ${showValue(this.from)}, which no version of the service sends. Check that the address is that ` +
        'of a nestjs-snowflake-service of the same major version.',
    );
  }

  private value(value: unknown, schema: Schema): unknown {
    switch (schema['type']) {
      case 'array':
        return Array.isArray(value)
          ? value.map((item) => this.value(item, schema['items'] as Schema))
          : this.refuse();
      case 'object':
        return new ReplyReader(value, this.description).object((schema as ObjectSchema).properties);
      case 'integer':
        return Number.isSafeInteger(value) ? value : this.refuse();
      default:
        return typeof value === 'string' && isOneOf(schema['enum'], value) ? value : this.refuse();
    }
  }

  private property(name: string): unknown {
    return Object.hasOwn(Object(this.from) as object, name)
      ? Reflect.get(this.from as object, name)
      : undefined;
  }
}

function isOneOf(texts: unknown, value: string): boolean {
  return !Array.isArray(texts) || texts.includes(value);
}
