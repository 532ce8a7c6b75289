import { StoreRejectedError } from '../../core/errors/lease-errors.js';
import type { SqlDialect } from './dialects/dialect.js';
import type { SqlRow } from './statements.js';

/**
 * Refuses a proxy that sends the statements of one transaction to several servers: a read that another server answers may miss the
 * latest commits.
 */
export class OneServer {
  private connectionId?: string;

  /** Selects the column that {@link note} and {@link require} read. */
  readonly column: string;

  constructor({ connectionId }: Pick<SqlDialect, 'connectionId'>) {
    this.column = `${connectionId} AS connection_id`;
  }

  /** Notes which server has answered the first read, which may lock. */
  note(row: SqlRow): void {
    this.connectionId = idIn(row);
  }

  /** Whether the first read has found a row. */
  get isKnown(): boolean {
    return this.connectionId !== undefined;
  }

  /** @throws StoreRejectedError if another server has answered this read */
  require(row: SqlRow | undefined): void {
    if (!this.isKnown || idIn(row) === this.connectionId) return;
    throw new StoreRejectedError(
      'A proxy between this process and the database sends one transaction to several servers. Connect to the primary ' +
        'directly, or disable load balancing for this connection.',
    );
  }
}

function idIn(row: SqlRow | undefined): string {
  return String(row?.['connection_id']);
}
