import type { Logger } from 'typeorm';

/** A statement as TypeORM hands it to the driver. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** Keeps the SQL that TypeORM sends. */
export class QueryLog implements Logger {
  private queries: string[] = [];
  private readonly lastOf = new Map<string, Statement>();

  /** The first word of every query since the last call. */
  take(): string[] {
    const words = this.queries.map((query) => query.trim().split(/\s/, 1).join('').toUpperCase());
    this.queries = [];
    return words;
  }

  /** The last statement that began with this word. */
  last(word: 'INSERT' | 'UPDATE' | 'SELECT' | 'DELETE'): Statement {
    return this.lastOf.get(word) ?? { sql: '', parameters: [] };
  }

  logQuery(query: string, parameters: unknown[] = []): void {
    this.queries.push(query);
    this.lastOf.set(query.split(' ', 1).join(''), { sql: query, parameters });
  }

  logQueryError(): void {}
  logQuerySlow(): void {}
  logSchemaBuild(): void {}
  logMigration(): void {}
  log(): void {}
}
