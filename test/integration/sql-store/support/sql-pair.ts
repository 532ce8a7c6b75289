import type { LeaseRequest } from '../../../../libs/snowflake/src/lease/lease-store.js';
import type { ServerState } from '../../../../libs/snowflake/src/stores/protocol/lease-registry.js';
import { ModelPair } from '../../../support/differential/model-pair.js';
import type { VirtualDatabase } from './virtual-database.js';

/** The model and the transactions. A database shows a loss by another history. */
export class SqlPair extends ModelPair {
  private histories = 1;

  constructor(
    private readonly virtual: VirtualDatabase,
    range: Pick<LeaseRequest, 'firstWorkerId' | 'workerCount'>,
  ) {
    super(virtual, range);
  }

  protected override serverState(): ServerState {
    return { nowMs: this.nowMs, historyId: `history ${this.histories}` };
  }

  protected override setServerState(): Promise<void> {
    return this.virtual.become(this.serverState());
  }

  protected override async announceLoss(): Promise<void> {
    this.histories += 1;
  }

  /** The search is exact. */
  protected override asServed(request: LeaseRequest): LeaseRequest {
    return { ...request, searchSeed: 0 };
  }

  /** A column of a row takes numbers only. */
  protected override damaged(field: string, before: string, value: string): string {
    return /^\d+$/.test(field) ? before.replace(/^\d+/, value) : value;
  }
}
