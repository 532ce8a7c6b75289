import { IdGenerator } from '../../../../libs/snowflake/src/core/generator/generator.js';
import type { IssuingRight } from '../../../../libs/snowflake/src/core/generator/issuing-right.js';
import type { LeaseReply, LeaseRequest } from '../../../../libs/snowflake/src/lease/lease-store.js';
import type { MemoryRegistry } from '../../../../libs/snowflake/src/stores/memory/memory-registry.js';
import { registryWith } from '../../../support/leases/registry-with.js';
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
  /** Nonces come from the memory of the process, so that a copy of it makes the same ones. */
  readonly repeatsNonces?: boolean;
  readonly alterRequest?: (request: LeaseRequest) => LeaseRequest;
  readonly alterReply?: (reply: LeaseReply) => LeaseReply;
  readonly alterServer?: (server: ServerView) => ServerView;
}

export const NOTHING_REMOVED: Removal = { name: 'ours' };

function nonceOf(fencingToken: string): string {
  return fencingToken.slice(0, fencingToken.lastIndexOf('@'));
}

/** A window without an end: as long as any simulation. */
const FOREVER_MS = 366 * 24 * 60 * 60 * 1000;

class WithoutLimit extends IdGenerator {
  override adopt(right: IssuingRight): void {
    super.adopt({ ...right, ...endless(right.untilMs) });
  }

  override extend(untilMs: number): void {
    const { untilMs: end, clockTimeUntilMs } = endless(untilMs);
    super.extend(end, clockTimeUntilMs);
  }
}

function endless(untilMs: number): Pick<IssuingRight, 'untilMs' | 'clockTimeUntilMs'> {
  return { untilMs: untilMs + FOREVER_MS, clockTimeUntilMs: untilMs + FOREVER_MS };
}

/** Every mechanism of the protocol, removed one at a time. */
export const REMOVALS: readonly Removal[] = [
  {
    name: 'without fencing token check',
    purpose: 'safety',
    newRegistry: registryWith({ isSameGrant: () => true, isCopied: () => false }),
  },
  {
    name: 'constant fencing token',
    purpose: 'safety',
    newRegistry: registryWith({ isCopied: () => false }),
  },
  {
    name: 'one grant for all copies',
    purpose: 'safety',
    newRegistry: registryWith({ isOwnGrant: () => true }),
  },
  { name: 'nonces from memory', purpose: 'safety', repeatsNonces: true },
  {
    name: 'ended lease renewed',
    purpose: 'safety',
    newRegistry: registryWith({ isRunning: () => true }),
  },
  {
    name: 'without gap maxSkew',
    purpose: 'safety',
    newRegistry: registryWith({ isRunning: ({ reachMs, nowMs }) => reachMs >= nowMs }),
  },
  {
    name: 'without from',
    purpose: 'safety',
    alterReply: (reply) => (reply.outcome === 'new' ? { ...reply, fromMs: 0 } : reply),
  },
  {
    name: 'without grantsAfter',
    purpose: 'safety',
    newRegistry: registryWith({ grantsAfterLoss: (nowMs) => nowMs - 1 }),
  },
  {
    name: 'without history',
    purpose: 'safety',
    alterServer: (server) => ({ ...server, historyId: 'always the same' }),
  },
  { name: 'without limit', purpose: 'safety', Generator: WithoutLimit },
  {
    name: 'from not in fencing token',
    purpose: 'safety',
    newRegistry: registryWith({
      isSameGrant: (stored, shown) => nonceOf(stored) === nonceOf(shown),
      isCopied: () => false,
    }),
  },
  { name: 'without minReplicas', purpose: 'safety', ignoresReplicas: true },
  {
    name: 'claim not carried',
    purpose: 'liveness',
    newRegistry: registryWith({ rowForClaim: (_, stored) => stored }),
  },
  {
    name: 'nonce not repeated',
    purpose: 'liveness',
    alterRequest: (request) => ({ ...request, retry: false }),
  },
];
