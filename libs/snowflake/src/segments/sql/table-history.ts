import { StoreRejectedError } from '../../core/index.js';
import type { SqlPlace } from '../../kit/sql/content.js';
import { readHistory } from '../../kit/sql/server-history.js';
import type { SqlRow, Statements } from '../../kit/sql/statements.js';
import type { LossReason } from '../segment-store.js';
import type { PossibleLoss } from './sql-segment-options.js';
import type { SegmentTables } from './segment-tables.js';

/** The key of the row of the history. No tag can have this name. */
export const NO_TAG = '';

/** Where the tags of a store are, and what it does after a possible loss. */
export interface SegmentPlace extends SqlPlace<SegmentTables> {
  /** @defaultValue `'refuse'` */
  readonly possibleLoss?: PossibleLoss;
}

/**
 * Stores in a row of its own the history ID in which the counters were written. Stores the part of it that a restart keeps only
 * while the server has every commit on disk, because otherwise a restart may have lost some.
 */
export class TableHistory {
  constructor(
    private readonly statements: Pick<Statements, 'query'>,
    private readonly place: SegmentPlace,
    private readonly description = 'the database',
  ) {}

  /**
   * Returns why counters may be missing.
   *
   * @throws StoreRejectedError if the next crash could lose commits, and nothing would show it
   */
  async loss(): Promise<LossReason | undefined> {
    const { tables, dialect, history, possibleLoss } = this.place;
    if (!history || possibleLoss === 'ignore') return undefined;
    // The row of a dump counts as that of another history.
    const isOwn = dialect.writer ? `${dialect.writer.ofRow} = written_by` : '1 = 1';
    const [row] = await this.statements.query(
      `SELECT history_id, lasting_id, ${this.present()}, CASE WHEN ${isOwn} THEN 1 ELSE 0 END AS is_own` +
        ` FROM ${tables.states} WHERE biz_tag = ?`,
      [NO_TAG],
    );
    if (!row || Number(row['is_own']) !== 1) return 'history';
    const isSameServer = row['lasting_id'] === readHistory(dialect, row['lasting']);
    if (isSameServer) this.requireDurable(row);
    if (row['history_id'] === readHistory(dialect, row['present'])) return undefined;
    return isSameServer && possibleLoss !== 'refuseRestarts' ? undefined : 'history';
  }

  /** Stores the present history ID unless one is stored. Two processes may create the tables at the same time. */
  async begin(): Promise<void> {
    await this.note(' AND history_id IS NULL');
  }

  /** Stores the present history ID. @throws StoreRejectedError as {@link loss} */
  async accept(): Promise<void> {
    const { tables, dialect, history } = this.place;
    if (!history) return;
    const [row] = await this.statements.query(
      `SELECT lasting_id, ${this.present()} FROM ${tables.states} WHERE biz_tag = ?`,
      [NO_TAG],
    );
    if (row && row['lasting_id'] === readHistory(dialect, row['lasting'])) this.requireDurable(row);
    await this.note('');
  }

  /** The store trusts restarts of this server. A crash would undo whatever is written about it now, with the claims. */
  private requireDurable(row: SqlRow): void {
    if (Number(row['is_durable']) === 1) return;
    throw new StoreRejectedError(
      `${this.description} used to have every commit on disk, and its settings have changed: a crash could now lose claims ` +
        'unnoticed. Set fsync, full_page_writes and synchronous_commit to on (PostgreSQL), or innodb_flush_log_at_trx_commit ' +
        "and sync_binlog to 1 (MySQL, MariaDB). To change them for good, set possibleLoss: 'refuseRestarts' and call resume() " +
        'before you do.',
    );
  }

  private async note(condition: string): Promise<void> {
    const { tables, dialect, history, possibleLoss } = this.place;
    if (!history) return;
    const [row] = await this.statements.query(`SELECT ${this.present()}`);
    const trustsRestarts = Number(row?.['is_durable']) === 1 && possibleLoss !== 'refuseRestarts';
    const lasting = trustsRestarts ? [readHistory(dialect, row?.['lasting'])] : [];
    await this.statements.query(dialect.insertKey(tables.states, 'biz_tag'), [NO_TAG]);
    const writer = dialect.writer ? `, written_by = ${dialect.writer.current}` : '';
    await this.statements.query(
      `UPDATE ${tables.states} SET history_id = ?, lasting_id = ${trustsRestarts ? '?' : 'NULL'}${writer}` +
        ` WHERE biz_tag = ?${condition}`,
      [readHistory(dialect, row?.['present']), ...lasting, NO_TAG],
    );
  }

  private present(): string {
    const { history } = this.place;
    return (
      `${history?.identity} AS present, ${history?.lasting} AS lasting,` +
      ` CASE WHEN ${history?.isDurable} THEN 1 ELSE 0 END AS is_durable`
    );
  }
}
