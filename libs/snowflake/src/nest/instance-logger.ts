import { Logger } from '@nestjs/common';
import { DEFAULT_INSTANCE } from '../core/ids/id-source-name.js';
import { type LogFields, LogLine } from './log-line.js';

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
    this.logger[level](new LogLine(text, this.instance, fields));
  }
}
