/**
 * A log line: text for people, fields for machines. A logger decides which it wants when it writes, which is later than the
 * call if Nest buffers its logs: a text logger inspects the object, a JSON logger serializes it, pino copies its own
 * properties.
 */
export class LogLine {
  readonly msg: string;

  /** @param fields what logs can be searched by. Undefined ones are left out. */
  constructor(text: string, fields: object) {
    this.msg = text;
    for (const [name, value] of Object.entries(fields)) {
      if (value !== undefined) Reflect.set(this, name, value);
    }
  }

  /** The text, under the name that winston reads. */
  get message(): string {
    return this.msg;
  }

  toString(): string {
    return this.msg;
  }

  toJSON(): object {
    const { msg, ...fields } = this;
    return { message: msg, ...fields };
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.msg;
  }
}
