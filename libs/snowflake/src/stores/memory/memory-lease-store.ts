import type { Clock } from '../../core/clock/clock.js';
import {
  type Checked,
  checkedOptions,
  clockWith,
  fitting,
  flag,
  type OptionRules,
  text,
} from '../../core/options/option-rule.js';
import { StoreCorruptError } from '../../core/errors/lease-errors.js';
import { systemClock } from '../../core/clock/system-clock.js';
import type {
  BackfillReply,
  BackfillRequest,
  LeaseReply,
  LeaseRequest,
  LeaseStore,
  RegistrySnapshot,
  ReleaseReply,
  ReleaseRequest,
  StoreSettings,
} from '../../lease/lease-store.js';
import { InvalidOptionError } from '../../core/errors/input-errors.js';
import { checkBackfillRequest, checkLeaseRequest, checkReleaseRequest } from '../check-request.js';
import { readSnapshot } from '../registry-format.js';
import { type ShowsOptions, STORE_OPTIONS } from '../store-options.js';
import { DrawnWorkerIds, drawnStart, testWorker } from './drawn-worker-ids.js';
import { MemoryRegistry } from './memory-registry.js';

/** Options of {@link memoryLeaseStore}. */
export interface MemoryLeaseStoreOptions {
  /**
   * The registry to use. Stores that share a registry see each other's leases.
   *
   * In a registry that you pass, worker IDs begin with the first. In a new one, they begin with a random one, or with the number of the Jest
   * or Vitest worker.
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
   * Asserts that no other process generates IDs of this kind. If the assertion is wrong, IDs repeat.
   *
   * Without it, the store refuses to open if `NODE_ENV` is `production`.
   *
   * @defaultValue `false`
   */
  readonly onlyProcess?: boolean;
  /**
   * The clock that replaces a server's.
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
  onlyProcess: flag().or(false),
  clock: clockWith('now').or(systemClock),
} satisfies OptionRules<MemoryLeaseStoreOptions>;

const SHARED_STORE =
  "Use redisLeaseStore({ url, namespace: 'shop' }) of nestjs-snowflake/redis or sqlLeaseStore({ url, namespace: 'shop' }) of " +
  'nestjs-snowflake/sql, or set onlyProcess: true if no other process generates IDs.';

/** Where in a registry a worker ID is kept. */
type WorkerIdOrder = Pick<DrawnWorkerIds, 'at' | 'placeOf'>;

/** The order of a registry that is shared. */
const ASCENDING: WorkerIdOrder = { at: (place) => place, placeOf: (workerId) => workerId };

/** The history of a registry in memory begins with the process and never changes. */
const HISTORY_ID = 'memory';

class MemoryLeaseStore implements LeaseStore, ShowsOptions<'memory'> {
  readonly description: string;
  readonly renewable = true;
  readonly isOnLoopback = true;
  readonly isShareable = true;

  private readonly registry: MemoryRegistry;
  private readonly ownsRegistry: boolean;
  private readonly onlyProcess: boolean;
  private readonly clock: Pick<Clock, 'now'>;
  private order: WorkerIdOrder = ASCENDING;

  constructor({ registry, namespace, onlyProcess, clock }: Checked<typeof MEMORY_OPTIONS>) {
    this.description = `memory namespace "${namespace}"`;
    this.registry = registry ?? new MemoryRegistry();
    this.ownsRegistry = registry === undefined;
    this.onlyProcess = onlyProcess;
    this.clock = clock;
  }

  /** @throws InvalidOptionError in production, unless `onlyProcess` is set */
  open({ warn }: StoreSettings): void {
    if (this.onlyProcess || testWorker() !== undefined) return;
    if (process.env.NODE_ENV === 'production') {
      throw new InvalidOptionError(
        'store',
        'memoryLeaseStore()',
        'keeps leases in this process alone, and NODE_ENV is production. Two processes would generate equal IDs',
        SHARED_STORE,
      );
    }
    warn?.(
      `${this.description} is for one process: it draws the worker ID at random, so two processes can generate equal IDs. ${SHARED_STORE}`,
    );
  }

  async lease(request: LeaseRequest): Promise<LeaseReply> {
    checkLeaseRequest(request);
    const server = { nowMs: this.nowMs(), historyId: HISTORY_ID };
    if (!this.ownsRegistry) return this.registry.lease(request, server);
    const { claim, firstWorkerId, workerCount } = request;
    this.order = new DrawnWorkerIds(drawnStart(), firstWorkerId, workerCount);
    const place = claim && { ...claim, workerId: this.order.placeOf(claim.workerId) };
    const reply = this.registry.lease({ ...request, assumeNew: true, claim: place }, server);
    return reply.outcome === 'new' ? { ...reply, workerId: this.order.at(reply.workerId) } : reply;
  }

  async release(request: ReleaseRequest): Promise<ReleaseReply> {
    checkReleaseRequest(request);
    const workerId = this.order.placeOf(request.workerId);
    const reply = this.registry.release({ ...request, workerId });
    if (reply.outcome === 'corrupt') throw new StoreCorruptError(this.description, reply.field, reply.stored);
    return reply;
  }

  async backfill(request: BackfillRequest): Promise<BackfillReply> {
    checkBackfillRequest(request);
    const { workerId } = request;
    const place = workerId === undefined ? undefined : this.order.placeOf(workerId);
    const server = { nowMs: this.nowMs(), historyId: HISTORY_ID };
    const reply = this.registry.backfill({ ...request, workerId: place }, server);
    return reply.outcome === 'claimed' ? { ...reply, workerId: this.order.at(reply.workerId) } : reply;
  }

  async inspect(): Promise<RegistrySnapshot> {
    const snapshot = readSnapshot(this.registry.fields, this.nowMs());
    if (!this.ownsRegistry) return snapshot;
    const rows = snapshot.rows.map((row) => ({ ...row, workerId: this.order.at(row.workerId) }));
    return {
      ...snapshot,
      freshWorkerId: undefined,
      rows: rows.toSorted((one, other) => one.workerId - other.workerId),
    };
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
 * Keeps leases in the memory of this process, for a first try and for tests. Two processes don't see each other's leases: they generate
 * equal IDs if they draw the same worker ID. So can a process that restarts while its clock is behind its last ID. The store refuses to open if `NODE_ENV` is `production`, unless you set `onlyProcess`.
 *
 * @throws InvalidOptionError if an option is unknown or `registry` is not a `MemoryRegistry`
 */
export function memoryLeaseStore(options: MemoryLeaseStoreOptions = {}): LeaseStore {
  return new MemoryLeaseStore(checkedOptions('memoryLeaseStore', options, MEMORY_OPTIONS));
}
