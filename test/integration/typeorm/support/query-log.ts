import type { Logger } from 'typeorm';

/** Keeps the SQL that TypeORM sends. */
export class QueryLog implements Logger {
  private queries: string[] = [];

  /** The first word of every query since the last call. */
  take(): string[] {
    const words = this.queries.map((query) => query.trim().split(/\s/, 1).join('').toUpperCase());
    this.queries = [];
    return words;
  }

  logQuery(query: string): void {
    this.queries.push(query);
  }

  logQueryError(): void {}
  logQuerySlow(): void {}
  logSchemaBuild(): void {}
  logMigration(): void {}
  log(): void {}
}
