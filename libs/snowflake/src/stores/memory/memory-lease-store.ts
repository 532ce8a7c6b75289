import type { Clock } from '../../core/clock/clock.js';
import {
  type Checked,
  checkedOptions,
  clockWith,
  fitting,
  type OptionRules,
  text,
} from '../../core/options/option-rule.js';
import { StoreCorruptError } from '../../core/errors/lease-errors.js';
import { systemClock } from '../../core/clock/system-clock.js';
import type {
  LeaseReply,
  LeaseRequest,
  LeaseStore,
  RegistrySnapshot,
  ReleaseReply,
  ReleaseRequest,
} from '../../lease/lease-store.js';
import { checkLeaseRequest, checkReleaseRequest } from '../check-request.js';
import { readSnapshot } from '../registry-format.js';
import { type ShowsOptions, STORE_OPTIONS } from '../store-options.js';
import { MemoryRegistry } from './memory-registry.js';

/** Options of {@link memoryLeaseStore}. */
export interface MemoryLeaseStoreOptions {
  /**
   * The registry to use. Stores that share a registry see each other's leases.
   * Bounds: a `MemoryRegistry`.
   *
   * A new registry has no lost grants to wait for.
   *
   * @defaultValue a new registry
   */
  readonly registry?: MemoryRegistry;
  /**
   * Name of the store in logs and errors.
   *
   * @defaultValue `'default'`
   */
  readonly namespace?: string;
  /**
   * The clock that is used in place of a server's.
   *
   * @defaultValue the system clock
   */
  readonly clock?: Pick<Clock, 'now'>;
}

export const MEMORY_OPTIONS = {
  registry: fitting(
    (value) => value instanceof MemoryRegistry,
    'is not a MemoryRegistry',
    'Pass new MemoryRegistry(), or omit it.',
  ).optional(),
  namespace: text(/^/, 'is not a string', 'Use a string, e.g. shop, or omit it.').or('default'),
  clock: clockWith('now').or(systemClock),
} satisfies OptionRules<MemoryLeaseStoreOptions>;

/** The history of a registry in memory begins with the process and never changes. */
const HISTORY_ID = 'memory';

class MemoryLeaseStore implements LeaseStore, ShowsOptions<'memory'> {
  readonly description: string;
  readonly renewable = true;

  private readonly registry: MemoryRegistry;
  private readonly ownsRegistry: boolean;
  private readonly clock: Pick<Clock, 'now'>;

  constructor({ registry, namespace, clock }: Checked<typeof MEMORY_OPTIONS>) {
    this.description = `memory namespace "${namespace}"`;
    this.registry = registry ?? new MemoryRegistry();
    this.ownsRegistry = registry === undefined;
    this.clock = clock;
  }

  async lease(request: LeaseRequest): Promise<LeaseReply> {
    checkLeaseRequest(request);
    const assumeNew = this.ownsRegistry || request.assumeNew;
    const server = { nowMs: this.nowMs(), historyId: HISTORY_ID };
    return this.registry.lease({ ...request, assumeNew }, server);
  }

  async release(request: ReleaseRequest): Promise<ReleaseReply> {
    checkReleaseRequest(request);
    const reply = this.registry.release(request);
    if (reply.outcome === 'corrupt') throw new StoreCorruptError(this.description, reply.field, reply.stored);
    return reply;
  }

  async inspect(): Promise<RegistrySnapshot> {
    return readSnapshot(this.registry.fields, this.nowMs());
  }

  [STORE_OPTIONS]() {
    return { kind: 'memory', options: undefined } as const;
  }

  async close(): Promise<void> {}

  /** Rounds the time of any clock, because windows are stored as whole milliseconds. */
  private nowMs(): number {
    return Math.floor(this.clock.now());
  }
}

/**
 * Keeps leases in the memory of this process, for tests. Two processes don't see each other's leases and make duplicates. A
 * process that restarts while its clock is behind the last ID that it made does so, too.
 *
 * @throws InvalidOptionError if an option is unknown or `registry` is not a `MemoryRegistry`
 */
export function memoryLeaseStore(options: MemoryLeaseStoreOptions = {}): LeaseStore {
  return new MemoryLeaseStore(checkedOptions('memoryLeaseStore', options, MEMORY_OPTIONS));
}
