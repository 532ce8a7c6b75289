import type { LeaseRequest } from '../../../../libs/snowflake/src/lease/lease-store.js';
import type { ServerState } from '../../../../libs/snowflake/src/stores/memory/index.js';
import { ModelPair } from '../../../support/differential/model-pair.js';
import type { VirtualDatabase } from './virtual-database.js';

/** What the store writes for the one history that a database has. */
const REIGN = 'sql';

/** The model and the transactions. A database shows no loss; the operator says so, or forgets to. */
export class SqlPair extends ModelPair {
  constructor(
    private readonly virtual: VirtualDatabase,
    range: Pick<LeaseRequest, 'firstWorkerId' | 'workerCount'>,
  ) {
    super(virtual, range);
  }

  protected override serverState(): ServerState {
    return { nowMs: this.nowMs, reign: REIGN };
  }

  protected override setServerState(): Promise<void> {
    return this.virtual.setClock(this.nowMs);
  }

  protected override async announceLoss(): Promise<void> {
    if (this.model.fields.has('reign')) await this.write('reign', 'restored');
  }

  /** A namespace of which nothing is stored is new in a database, whatever the caller says; and the search is exact. */
  protected override asServed(request: LeaseRequest): LeaseRequest {
    return { ...request, trustEmptyRegistry: true, searchSeed: 0 };
  }

  /** A column of a row takes numbers only. */
  protected override damaged(field: string, before: string, value: string): string {
    return /^\d+$/.test(field) ? before.replace(/^\d+/, value) : value;
  }
}
