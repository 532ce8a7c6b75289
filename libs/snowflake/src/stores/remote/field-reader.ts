import { StoreRejectedError } from '../../core/errors/lease-errors.js';
import { showValue } from '../../core/errors/show-value.js';
import type { ObjectSchema, Schema } from '../../kit/schema.js';

/** The fields of a JSON object that a service has sent. */
export class FieldReader {
  constructor(
    private readonly from: unknown,
    private readonly describedAs: string,
  ) {}

  text(name: string): string {
    const value = this.field(name);
    return typeof value === 'string' ? value : this.refuse();
  }

  number(name: string): number {
    const value = this.field(name);
    return Number.isSafeInteger(value) ? (value as number) : this.refuse();
  }

  optionalText(name: string): string | undefined {
    return this.field(name) === undefined ? undefined : this.text(name);
  }

  optionalNumber(name: string): number | undefined {
    return this.field(name) === undefined ? undefined : this.number(name);
  }

  list<Item>(name: string, read: (item: FieldReader) => Item): readonly Item[] {
    const value = this.field(name);
    if (!Array.isArray(value)) return this.refuse();
    return value.map((item) => read(new FieldReader(item, this.describedAs)));
  }

  texts(name: string): readonly string[] {
    const value = this.field(name);
    if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) return this.refuse();
    return value;
  }

  /** Reads the properties of a schema, without optional ones that are absent, and without any others. */
  object(properties: ObjectSchema['properties'], optional: readonly string[] = []): object {
    const given = Object.entries(properties).filter(
      ([name]) => !optional.includes(name) || this.field(name) !== undefined,
    );
    return Object.fromEntries(given.map(([name, schema]) => [name, this.value(name, schema)]));
  }

  private value(name: string, { type, items }: Schema): unknown {
    if (type === 'array') return this.list(name, (item) => item.object((items as ObjectSchema).properties));
    return type === 'integer' ? this.number(name) : this.text(name);
  }

  field(name: string): unknown {
    return Object.hasOwn(Object(this.from) as object, name)
      ? Reflect.get(this.from as object, name)
      : undefined;
  }

  /** @throws StoreRejectedError */
  refuse(): never {
    throw new StoreRejectedError(
      `${this.describedAs} replied ${showValue(this.from)}, which no version of the service sends. Check that the address is that ` +
        'of a nestjs-snowflake-service of the same major version.',
    );
  }
}
