/** What logs can be searched by. */
export interface LogFields {
  /** Absent before the first lease. */
  readonly workerId?: number | undefined;
  /** Code of the error, if the line is about one. */
  readonly code?: string | undefined;
}

/**
 * A log line: text for people, fields for machines. A logger decides which it wants when it writes, which is later than the
 * call if Nest buffers its logs: a text logger inspects the object, a JSON logger serializes it, pino copies its own
 * properties.
 */
export class LogLine {
  readonly msg: string;
  readonly instance: string;

  constructor(text: string, instance: string, fields: LogFields) {
    this.msg = text;
    this.instance = instance;
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
