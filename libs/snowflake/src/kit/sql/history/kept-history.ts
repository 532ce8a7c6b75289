import { StoreRejectedError } from '../../../core/errors/lease-errors.js';
import { showDurable, showLossy } from './lossy-settings.js';
import { isAsWritten, readHistory } from './server-history.js';
import type { SqlRow, Statement, Statements } from '../statements.js';
import { HISTORY_KEY, type SqlPlace } from '../tables/tables.js';

/**
 * Keeps the history ID in which the tables were written, in a separate row. Keeps the part of it that survives a restart only
 * while the server has every commit on disk, because otherwise a restart may have lost some.
 */
export class KeptHistory {
  private readonly row: { readonly table: string; readonly key: string };

  /**
   * @param trustsRestarts whether a restart of a server that has every commit on disk counts as the same history
   * @param description the store's, for errors
   */
  constructor(
    private readonly statements: Pick<Statements, 'query'>,
    private readonly place: SqlPlace,
    private readonly trustsRestarts: boolean,
    private readonly description = 'the database',
  ) {
    const { keptHistory } = place.tables;
    if (!keptHistory) throw new TypeError('the tables keep no history');
    this.row = keptHistory;
  }

  /**
   * Returns whether the server may lack what was committed: it is another one, took over from another one, or has rows of a dump.
   *
   * @throws StoreRejectedError if the next crash could lose commits, and nothing would show it
   */
  async isLost(): Promise<boolean> {
    const { dialect, history } = this.place;
    if (!history) return false;
    const row = await this.read();
    // The row of a dump counts as that of another history.
    if (!row || Number(row['is_own']) !== 1) return true;
    const isSameServer = row['lasting_id'] === readHistory(dialect, row['lasting']);
    if (isSameServer) await this.requireDurable();
    if (row['history_id'] === readHistory(dialect, row['present'])) return false;
    return !(isSameServer && this.trustsRestarts);
  }

  /** Keeps the present history unless one is kept. Two processes may create the tables at the same time. */
  async begin(): Promise<void> {
    await this.keep(' AND history_id IS NULL');
  }

  /** Keeps the present history. @throws StoreRejectedError as {@link isLost} */
  async accept(): Promise<void> {
    const { dialect, history } = this.place;
    if (!history) return;
    const row = await this.read();
    if (row && row['lasting_id'] === readHistory(dialect, row['lasting'])) await this.requireDurable();
    await this.keep('');
  }

  /** What {@link isLost} asks. */
  get questions(): readonly Statement[] {
    const { dialect, history } = this.place;
    if (!history) return [];
    const lossy = history.needsDurableSettings ? dialect.lossySettings : undefined;
    return [this.keptRow(), ...(lossy ? [{ sql: lossy.statement }] : [])];
  }

  private keptRow(): Statement {
    const { dialect } = this.place;
    const { table, key } = this.row;
    return {
      sql:
        `SELECT history_id, lasting_id, ${this.present()}, CASE WHEN ${isAsWritten(dialect)} THEN 1 ELSE 0 END AS is_own` +
        ` FROM ${table} WHERE ${key} = ?`,
      parameters: [HISTORY_KEY],
    };
  }

  private async read(): Promise<SqlRow | undefined> {
    const { sql, parameters } = this.keptRow();
    const [row] = await this.statements.query(sql, parameters);
    return row;
  }

  /** The store trusts restarts of this server. A crash would undo whatever is written about it now, with the rest. */
  private async requireDurable(): Promise<void> {
    const settings = await this.lossySettings();
    if (settings.length === 0) return;
    const { toChangeSettings } = this.place.tables.declaration.remedies;
    throw new StoreRejectedError(
      `${this.description} used to have every commit on disk, but its settings have changed: ${showLossy(settings)}. ` +
        `${showDurable(settings)}.${toChangeSettings ? ` ${toChangeSettings}` : ''}`,
    );
  }

  private async keep(condition: string): Promise<void> {
    const { dialect, history } = this.place;
    if (!history) return;
    const { table, key } = this.row;
    const [row] = await this.statements.query(`SELECT ${this.present()}`);
    const isLasting = this.trustsRestarts && (await this.lossySettings()).length === 0;
    await this.statements.query(dialect.insertUnlessExists(table, [key]), [HISTORY_KEY]);
    const writer = dialect.writer ? `, written_by = ${dialect.writer.current}` : '';
    await this.statements.query(
      `UPDATE ${table} SET history_id = ?, lasting_id = ?${writer} WHERE ${key} = ?${condition}`,
      [
        readHistory(dialect, row?.['present']),
        isLasting ? readHistory(dialect, row?.['lasting']) : null,
        HISTORY_KEY,
      ],
    );
  }

  private async lossySettings() {
    const { dialect, history } = this.place;
    if (!history?.needsDurableSettings || !dialect.lossySettings) return [];
    const { statement, read } = dialect.lossySettings;
    return read(await this.statements.query(statement));
  }

  private present(): string {
    const { history } = this.place;
    return `${history?.identity} AS present, ${history?.lasting} AS lasting`;
  }
}
