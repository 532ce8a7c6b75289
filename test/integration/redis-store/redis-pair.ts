import type { LeaseRequest } from '../../../libs/snowflake/src/lease/lease-store.js';
import type { ServerState } from '../../../libs/snowflake/src/stores/memory/index.js';
import { ModelPair } from '../../support/differential/model-pair.js';
import type { VirtualServer } from './virtual-server.js';

/** The model and the Lua scripts. Redis shows a failover by another replication ID. */
export class RedisPair extends ModelPair {
  private reigns = 1;

  constructor(
    private readonly virtual: VirtualServer,
    range: Pick<LeaseRequest, 'firstWorkerId' | 'workerCount'>,
  ) {
    super(virtual, range);
  }

  protected override serverState(): ServerState {
    return { nowMs: this.nowMs, reign: `reign${this.reigns}` };
  }

  protected override setServerState(): Promise<void> {
    return this.virtual.become(this.serverState());
  }

  protected override async announceLoss(): Promise<void> {
    this.reigns += 1;
  }
}
