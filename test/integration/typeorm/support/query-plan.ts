import type { DataSource, SelectQueryBuilder } from 'typeorm';
import type { Kind } from './databases.js';

/** What the database says that it does for a query, and what it says when it reads only a stretch of an index. */
interface Planner {
  readonly explain: string;
  readonly analyze: (table: string) => string;
  /** Both bounds of the range are part of the search in the index. */
  readonly rangeScan: RegExp;
}

const PLANNERS: Record<Kind, Planner> = {
  sqlite: {
    explain: 'EXPLAIN QUERY PLAN',
    analyze: () => 'ANALYZE',
    rangeScan: /SEARCH .* USING (COVERING )?INDEX \w+ \(id>\? AND id<\?\)/,
  },
  postgres: {
    explain: 'EXPLAIN (FORMAT JSON)',
    analyze: (table) => `ANALYZE "${table}"`,
    rangeScan:
      /"Node Type":"Index (Only )?Scan".*"Index Cond":"\(\(id >= '\d+'::bigint\) AND \(id < '\d+'::bigint\)\)"/,
  },
  mariadb: {
    explain: 'EXPLAIN',
    analyze: (table) => `ANALYZE TABLE \`${table}\``,
    rangeScan: /"type":"range","possible_keys":"PRIMARY","key":"PRIMARY"/,
  },
};

/** Lets the database count what it plans with. */
export async function analyze(dataSource: DataSource, kind: Kind, table: string): Promise<void> {
  await dataSource.query(PLANNERS[kind].analyze(table));
}

/** The plan for a query with the parameters that it would be run with. */
export async function planOf(kind: Kind, query: SelectQueryBuilder<object>): Promise<string> {
  const [sql, parameters] = query.getQueryAndParameters();
  // TypeORM 0.3 has `connection` only.
  const dataSource = query.dataSource ?? query.connection;
  const plan: unknown = await dataSource.query(`${PLANNERS[kind].explain} ${sql}`, parameters);
  return JSON.stringify(plan);
}

export const rangeScanOn = (kind: Kind): RegExp => PLANNERS[kind].rangeScan;
