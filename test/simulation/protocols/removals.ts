import { IdGenerator } from '../../../libs/snowflake/src/core/generator.js';
import type { IssuingRight } from '../../../libs/snowflake/src/core/issuing-right.js';
import type { LeaseReply, LeaseRequest } from '../../../libs/snowflake/src/lease/lease-store.js';
import { MemoryRegistry } from '../../../libs/snowflake/src/stores/memory/memory-registry.js';
import { LeaseCall } from '../../../libs/snowflake/src/stores/protocol/index.js';
import type { ServerView } from '../store-server.js';

/** What a mechanism is there for. */
export type Purpose = 'safety' | 'liveness';

/** The library's protocol without one of its mechanisms. */
export interface Removal {
  readonly name: string;
  readonly purpose?: Purpose;
  readonly newRegistry?: () => MemoryRegistry;
  readonly Generator?: typeof IdGenerator;
  readonly ignoresReplicas?: boolean;
  readonly alterRequest?: (request: LeaseRequest) => LeaseRequest;
  readonly alterReply?: (reply: LeaseReply) => LeaseReply;
  readonly alterServer?: (server: ServerView) => ServerView;
}

export const NOTHING_REMOVED: Removal = { name: 'ours' };

type CallClass = new (...parameters: ConstructorParameters<typeof LeaseCall>) => LeaseCall;

/** A registry whose calls are of another class. */
function registryOf(Call: CallClass): () => MemoryRegistry {
  return () =>
    new (class extends MemoryRegistry {
      protected override callOf(request: LeaseRequest): LeaseCall {
        return new Call(request);
      }
    })();
}

class WithoutDeedCheck extends LeaseCall {
  protected override isSameDeed(): boolean {
    return true;
  }
}

class WithoutEnd extends LeaseCall {
  protected override isRunning(): boolean {
    return true;
  }
}

class WithoutGap extends LeaseCall {
  protected override isRunning(untilMs: number): boolean {
    return untilMs >= this.server.nowMs;
  }
}

class WithoutFloor extends LeaseCall {
  protected override floorAfterLoss(): number {
    return this.server.nowMs - 1;
  }
}

class WithoutCarriedClaim extends LeaseCall {
  protected override rowForClaim(
    ...[claim, stored]: Parameters<LeaseCall['rowForClaim']>
  ): ReturnType<LeaseCall['rowForClaim']> {
    return stored && super.rowForClaim(claim, stored);
  }
}

class WithoutFromInDeed extends LeaseCall {
  protected override isSameDeed(stored: string, shown: string): boolean {
    return nonceOf(stored) === nonceOf(shown);
  }
}

function nonceOf(deed: string): string {
  return deed.slice(0, deed.lastIndexOf('@'));
}

/** A window without an end: as long as any simulation. */
const FOREVER_MS = 366 * 24 * 60 * 60 * 1000;

class WithoutLimit extends IdGenerator {
  override adopt(right: IssuingRight): void {
    super.adopt({ ...right, ...endless(right.untilMs) });
  }

  override extend(untilMs: number): void {
    const { untilMs: end, trueTimeUntilMs } = endless(untilMs);
    super.extend(end, trueTimeUntilMs);
  }
}

function endless(untilMs: number): Pick<IssuingRight, 'untilMs' | 'trueTimeUntilMs'> {
  return { untilMs: untilMs + FOREVER_MS, trueTimeUntilMs: untilMs + FOREVER_MS };
}

/** Every mechanism of the protocol, taken away one at a time. */
export const REMOVALS: readonly Removal[] = [
  { name: 'without deed check', purpose: 'safety', newRegistry: registryOf(WithoutDeedCheck) },
  { name: 'ended lease renewed', purpose: 'safety', newRegistry: registryOf(WithoutEnd) },
  { name: 'without gap maxSkew', purpose: 'safety', newRegistry: registryOf(WithoutGap) },
  {
    name: 'without from',
    purpose: 'safety',
    alterReply: (reply) => (reply.outcome === 'new' ? { ...reply, fromMs: 0 } : reply),
  },
  { name: 'without floor', purpose: 'safety', newRegistry: registryOf(WithoutFloor) },
  {
    name: 'without reign',
    purpose: 'safety',
    alterServer: (server) => ({ ...server, reign: 'always the same' }),
  },
  { name: 'without limit', purpose: 'safety', Generator: WithoutLimit },
  { name: 'from not in deed', purpose: 'safety', newRegistry: registryOf(WithoutFromInDeed) },
  { name: 'without minReplicas', purpose: 'safety', ignoresReplicas: true },
  { name: 'claim not carried', purpose: 'liveness', newRegistry: registryOf(WithoutCarriedClaim) },
  {
    name: 'nonce not repeated',
    purpose: 'liveness',
    alterRequest: (request) => ({ ...request, retry: false }),
  },
];
