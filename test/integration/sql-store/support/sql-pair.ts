import type { LeaseRequest } from '../../../../libs/snowflake/src/lease/lease-store.js';
import type { ServerState } from '../../../../libs/snowflake/src/stores/memory/index.js';
import { ModelPair } from '../../../support/differential/model-pair.js';
import type { VirtualDatabase } from './virtual-database.js';

/** The model and the transactions. A database shows a loss by another history, of the namespace and of the tables. */
export class SqlPair extends ModelPair {
  private histories = 1;
  private tables: ServerState = { nowMs: 0, historyId: 'history 1' };

  constructor(
    private readonly virtual: VirtualDatabase,
    range: Pick<LeaseRequest, 'firstWorkerId' | 'workerCount'>,
  ) {
    super(virtual, range);
  }

  override async prepare(fields?: Record<string, string>): Promise<void> {
    await super.prepare(fields);
    await this.virtual.replaceTableHistory(this.tables);
  }

  protected override serverState(): ServerState {
    return { nowMs: this.nowMs, historyId: `history ${this.histories}` };
  }

  protected override async setServerState(): Promise<void> {
    await this.virtual.setClock(this.nowMs);
    await this.virtual.setHistory(this.serverState().historyId);
  }

  protected override async announceLoss(): Promise<void> {
    this.histories += 1;
  }

  /** An empty namespace is new, whatever the caller says, if the tables are of this history; and the search is exact. */
  protected override asServed(request: LeaseRequest): LeaseRequest {
    const assumeNew = request.assumeNew || this.isNew(request);
    return { ...request, assumeNew, searchSeed: 0 };
  }

  private isNew({ claim, windowMs, maxSkewMs }: LeaseRequest): boolean {
    if (this.model.fields.size > 0 || claim) return false;
    const server = this.serverState();
    if (this.tables.historyId === server.historyId)
      return this.tables.nowMs + windowMs + maxSkewMs < this.nowMs;
    this.tables = server;
    return false;
  }

  /** A column of a row takes numbers only. */
  protected override damaged(field: string, before: string, value: string): string {
    return /^\d+$/.test(field) ? before.replace(/^\d+/, value) : value;
  }
}
