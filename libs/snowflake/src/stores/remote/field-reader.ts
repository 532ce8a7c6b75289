import { StoreRejectedError } from '../../core/errors/lease-errors.js';
import { showValue } from '../../core/errors/show-value.js';

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
