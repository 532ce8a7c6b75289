import type { LoggerService } from '@nestjs/common';

interface Line {
  readonly level: string;
  readonly text: string;
}

/** A Nest logger that keeps what the library says in order to look at it. */
export class CapturedLogs implements LoggerService {
  private readonly all: Line[] = [];

  log = this.writer('log');
  warn = this.writer('warn');
  error = this.writer('error');

  /** The lines of the library so far, e.g. `warn: …`. */
  get lines(): string[] {
    return this.all.map(({ level, text }) => `${level}: ${text}`);
  }

  private writer(level: string) {
    return (message: unknown, ...rest: unknown[]): void => {
      const context = rest.at(-1);
      if (typeof context === 'string' && context.startsWith('Snowflake')) {
        this.all.push({ level, text: `[${context}] ${String(message)}` });
      }
    };
  }
}
