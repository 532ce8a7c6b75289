import type { LeaseRequest } from '../../../libs/snowflake/src/lease/lease-store.js';
import type { ServerState } from '../../../libs/snowflake/src/stores/protocol/lease-registry.js';
import { ModelPair } from '../../support/differential/model-pair.js';
import type { VirtualServer } from './virtual-server.js';

/** The model and the Lua scripts. Redis shows a loss by another replication ID, another run ID, or both. */
export class RedisPair extends ModelPair {
  private losses = 0;

  constructor(
    private readonly virtual: VirtualServer,
    range: Pick<LeaseRequest, 'firstWorkerId' | 'workerCount'>,
  ) {
    super(virtual, range);
  }

  /** Of three losses in a row, one changes the replication ID alone, one the run ID alone, and one both. */
  get historyId(): string {
    const replicationId = Math.ceil((2 * this.losses) / 3);
    const runId = Math.floor((2 * this.losses + 1) / 3);
    return `id${replicationId}/run${runId}`;
  }

  protected override serverState(): ServerState {
    return { nowMs: this.nowMs, historyId: this.historyId };
  }

  protected override setServerState(): Promise<void> {
    return this.virtual.become(this.serverState());
  }

  protected override async announceLoss(): Promise<void> {
    this.losses += 1;
  }
}
