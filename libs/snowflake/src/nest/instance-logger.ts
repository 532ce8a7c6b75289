import { Logger } from '@nestjs/common';
import { DEFAULT_INSTANCE } from '../core/ids/id-source-name.js';
import { LogLine } from '../kit/nest/log-line.js';

/** What logs can be searched by, next to the name of the instance. */
export interface LogFields {
  /** Absent before the first lease. */
  readonly workerId?: number | undefined;
  /** Code of the error, if the line is about one. */
  readonly code?: string | undefined;
}

export type LogLevel = 'log' | 'warn' | 'error';

/** Writes the log lines of one instance through Nest's Logger. */
export class InstanceLogger {
  private readonly logger: Logger;

  constructor(private readonly instance: string) {
    this.logger = new Logger(
      instance === DEFAULT_INSTANCE ? 'SnowflakeModule' : `SnowflakeModule:${instance}`,
    );
  }

  write(level: LogLevel, text: string, fields: LogFields): void {
    this.logger[level](new LogLine(text, { instance: this.instance, ...fields }));
  }
}
