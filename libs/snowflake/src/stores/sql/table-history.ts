import type { ServerState } from '../protocol/index.js';
import type { ServerHistory } from './server-history.js';
import type { RegistryPlace, Statements } from './sql-registry.js';

/** The key of that row. No namespace can have this name. */
const NO_NAMESPACE = '';

/**
 * Stores in a separate row the history ID in which the tables were created. While the server has that history ID, nothing
 * was lost, and a namespace without a row is new. After a failover to a replica that missed the namespace, its row is also
 * absent, but the history ID differs.
 */
export class TableHistory {
  constructor(
    private readonly statements: Pick<Statements, 'query'>,
    private readonly place: Pick<RegistryPlace, 'tables' | 'dialect'>,
  ) {}

  /**
   * Stores the history ID in which the tables were created, unless one is stored. A server that took over from another
   * server may have missed earlier tables, so its history counts only from now on.
   */
  async begin({ identity, sinceMs }: ServerHistory): Promise<void> {
    // Two processes may create the tables at the same time. The first stored history ID counts.
    await this.note(identity, sinceMs, ' AND history_id IS NULL');
  }

  /**
   * Returns whether no lost grant can still be in use. If the tables belong to another history, stores the present history ID and
   * the time since which it is known.
   *
   * @param longestMs how long a lost grant can last after its loss
   */
  async isUnbroken({ nowMs, historyId }: ServerState, longestMs: number): Promise<boolean> {
    const { tables, dialect } = this.place;
    const isOwn = dialect.writer ? `${dialect.writer.ofRow} = written_by` : '1 = 1';
    const [row] = await this.statements.query(
      `SELECT history_id, grants_after_ms, CASE WHEN ${isOwn} THEN 1 ELSE 0 END AS is_own` +
        ` FROM ${tables.namespaces} WHERE namespace = ?${dialect.lockRow}`,
      [NO_NAMESPACE],
    );
    if (row && row['history_id'] === historyId && Number(row['is_own']) === 1)
      return Number(row['grants_after_ms']) + longestMs < nowMs;
    await this.note(historyId, nowMs);
    return false;
  }

  private async note(historyId: string, sinceMs: number, condition = ''): Promise<void> {
    const { tables, dialect } = this.place;
    await this.statements.query(dialect.insertKey(tables.namespaces, 'namespace'), [NO_NAMESPACE]);
    const writer = dialect.writer ? `, written_by = ${dialect.writer.current}` : '';
    await this.statements.query(
      `UPDATE ${tables.namespaces} SET history_id = ?, grants_after_ms = ?${writer} WHERE namespace = ?${condition}`,
      [historyId, sinceMs, NO_NAMESPACE],
    );
  }
}
