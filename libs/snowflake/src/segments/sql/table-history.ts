import type { SqlPlace } from '../../stores/sql/sql-content.js';
import { readHistory } from '../../stores/sql/server-history.js';
import type { Statements } from '../../stores/sql/sql-registry.js';
import type { SegmentTables } from './segment-tables.js';

/** The key of the row of the history. No tag can have this name. */
const NO_TAG = '';

/** Where the tags of a store are, and what the operator vouches for. */
export interface SegmentPlace extends SqlPlace<SegmentTables> {
  /** Whether a restart of the server counts as no loss. */
  readonly trustRestarts?: boolean;
}

/** Stores in a row of its own the history ID in which the counters were written. */
export class TableHistory {
  constructor(
    private readonly statements: Pick<Statements, 'query'>,
    private readonly place: SegmentPlace,
  ) {}

  /** Returns whether the server has the stored history. The row of a dump counts as another one. */
  async isIntact(): Promise<boolean> {
    const { tables, dialect, history, trustRestarts } = this.place;
    if (!history) return true;
    const [column, present] = trustRestarts
      ? ['lasting_id', history.lasting]
      : ['history_id', history.identity];
    const isOwn = dialect.writer ? `${dialect.writer.ofRow} = written_by` : '1 = 1';
    const [row] = await this.statements.query(
      `SELECT ${column} AS stored, ${present} AS present, CASE WHEN ${isOwn} THEN 1 ELSE 0 END AS is_own` +
        ` FROM ${tables.states} WHERE biz_tag = ?`,
      [NO_TAG],
    );
    if (!row) return false;
    return row['stored'] === readHistory(dialect, row['present']) && Number(row['is_own']) === 1;
  }

  /** Stores the present history ID unless one is stored. Two processes may create the tables at the same time. */
  async begin(): Promise<void> {
    await this.note(' AND history_id IS NULL');
  }

  /** Stores the present history ID. */
  async accept(): Promise<void> {
    await this.note('');
  }

  private async note(condition: string): Promise<void> {
    const { tables, dialect, history } = this.place;
    if (!history) return;
    const [row] = await this.statements.query(
      `SELECT ${history.identity} AS present, ${history.lasting} AS lasting`,
    );
    await this.statements.query(dialect.insertKey(tables.states, 'biz_tag'), [NO_TAG]);
    const writer = dialect.writer ? `, written_by = ${dialect.writer.current}` : '';
    await this.statements.query(
      `UPDATE ${tables.states} SET history_id = ?, lasting_id = ?${writer} WHERE biz_tag = ?${condition}`,
      [readHistory(dialect, row?.['present']), readHistory(dialect, row?.['lasting']), NO_TAG],
    );
  }
}
