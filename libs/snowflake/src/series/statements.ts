import type { EntityManager, QueryRunner } from 'typeorm';
import type { SqlRow, SqlStatements } from './sql-series-store.js';

/** Executes statements on a connection, in the transaction that is open there. */
export function statementsOn(runner: QueryRunner): SqlStatements {
  return {
    async execute(sql, parameters) {
      const { records, affected } = await runner.query(sql, parameters, true);
      return { rows: records as SqlRow[], written: Number(affected ?? 0) };
    },
  };
}

/** Executes statements that only read, in or outside of a transaction. */
export function readsOf(manager: EntityManager): SqlStatements {
  return {
    async execute(sql, parameters) {
      const rows: unknown = await manager.query(sql, parameters);
      return { rows: Array.isArray(rows) ? (rows as SqlRow[]) : [], written: 0 };
    },
  };
}
