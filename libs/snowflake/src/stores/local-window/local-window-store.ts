import { oneInProcess } from '../../core/process-memory.js';
import type { Clock } from '../../core/clock/clock.js';
import { StoreUnavailableError } from '../../core/errors/lease-errors.js';
import { DEFAULT_CALL_TIMEOUT_MS, deadlineIn, settledWithin } from '../../kit/call-deadline.js';
import type {
  CallDeadline,
  LeaseClaim,
  LeaseReply,
  LeaseRequest,
  LeaseStore,
  RegistrySnapshot,
  ReleaseReply,
  ReleaseRequest,
  StoreSettings,
} from '../../lease/lease-store.js';
import { grantOf, isSameGrant } from '../../lease/fencing-token.js';
import { asSnowflakeError, unanswered } from '../../lease/store-caller.js';
import { type ShowsOptions, showsOptions, STORE_OPTIONS } from '../store-options.js';
import { checkFolder } from './check-folder.js';
import { RestAtStart } from './rest-at-start.js';
import { WindowFile } from './window-file.js';
import type { WindowRest } from './window-rest.js';

/** A lease as the store last confirmed it. */
interface HeldWindow extends LeaseClaim {
  readonly layout: string;
}

/** A store that keeps the rest of the window on disk when its holder stops. See `withLocalWindow`. */
@oneInProcess('LocalWindowStore')
export class LocalWindowStore implements LeaseStore, ShowsOptions {
  readonly renewable = true;

  /** The name of the store in the file: stays the same while {@link description} becomes more exact. */
  private readonly nameInFile: string;

  private readonly file: WindowFile;
  private atStart: RestAtStart;
  private callTimeoutMs = DEFAULT_CALL_TIMEOUT_MS;
  private warn: (message: string) => void = () => undefined;
  private held: HeldWindow | undefined;
  /** Grants of which the rest was or may be on disk. They are never released, because another process may use the rest. */
  private readonly onDisk = new Set<string>();
  /** The nonce of the request that got the rest from disk. A request with another nonce comes from the user of that rest. */
  private nonceAtDisk: string | undefined;

  constructor(
    private readonly inner: LeaseStore,
    path: string,
    private readonly clock: Clock,
  ) {
    this.nameInFile = inner.description;
    this.file = new WindowFile(path);
    this.atStart = this.newRest();
  }

  get description(): string {
    return this.inner.description;
  }

  get isOnLoopback(): boolean {
    return this.inner.isOnLoopback ?? false;
  }

  async open(settings: StoreSettings): Promise<void> {
    this.held = undefined;
    this.nonceAtDisk = undefined;
    this.atStart = this.newRest();
    this.warn = (message) => settings.warn?.(message);
    this.callTimeoutMs = settings.callTimeoutMs;
    await checkFolder(this.file, this.clock, settings.callTimeoutMs, this.warn);
    await this.inner.open?.(settings);
  }

  async lease(
    request: LeaseRequest,
    deadline: CallDeadline = deadlineIn(this.clock, this.callTimeoutMs),
  ): Promise<LeaseReply> {
    const { claim, nonce } = request;
    if (!claim && (!this.held || nonce === this.nonceAtDisk)) return this.first(request, deadline);
    if (claim && this.onDisk.has(grantOf(claim.fencingToken))) return this.renewFromDisk(request, deadline);
    return this.noted(request, await this.inner.lease(request, deadline));
  }

  async release(request: ReleaseRequest, deadline?: CallDeadline): Promise<ReleaseReply> {
    const { held } = this;
    if (!held || !isSameGrant(held.fencingToken, request.fencingToken))
      return this.releaseInStore(request, deadline);
    const { layout, workerId, fencingToken, untilMs } = held;
    const { lastUsedMs } = request;
    if (untilMs <= Math.max(lastUsedMs, this.clock.now())) return this.releaseInStore(request, deadline);
    const rest = { store: this.nameInFile, layout, workerId, fencingToken, lastUsedMs, untilMs };
    const grant = grantOf(fencingToken);
    const wasOnDisk = this.onDisk.has(grant);
    this.onDisk.add(grant);
    const draft = await this.drafted(rest);
    if (draft === undefined) {
      if (!wasOnDisk) this.onDisk.delete(grant);
      return this.releaseInStore(request, deadline);
    }
    await this.published(draft);
    return { outcome: 'released', reservedUntilMs: untilMs };
  }

  /** The window on disk is one of the present. */
  get backfill(): LeaseStore['backfill'] {
    return this.inner.backfill?.bind(this.inner);
  }

  inspect(): Promise<RegistrySnapshot> {
    return this.inner.inspect();
  }

  /** Shows the options of the store inside, which has the registry. */
  [STORE_OPTIONS]() {
    if (showsOptions(this.inner)) return this.inner[STORE_OPTIONS]();
    return { kind: 'other', options: this.inner };
  }

  reconnect(): void {
    this.inner.reconnect?.();
  }

  close(): Promise<void> {
    this.atStart.end();
    return this.inner.close();
  }

  /** Calls the store first, and uses the rest that the last process left only if the store grants nothing. */
  private async first(request: LeaseRequest, deadline: CallDeadline): Promise<LeaseReply> {
    // It belongs to this opening: the store may be closed and opened again for another ID maker before the disk responds.
    const { atStart } = this;
    const isExpected = await atStart.isExpected(request, this.warn);
    // A process that finds the rest of a window knows that the namespace is not new.
    const toStore = isExpected ? { ...request, assumeNew: false, ignoreLoss: false } : request;
    const reply = await (isExpected ? this.replyOf(toStore, deadline) : this.inner.lease(toStore, deadline));
    if (!isRefusal(reply)) {
      if (reply.outcome === 'new') await atStart.drop();
      return this.noted(request, reply);
    }
    const rest = isExpected ? await atStart.consume(request, this.warn) : undefined;
    if (rest) return this.grantedFromDisk(request, rest);
    if (reply instanceof StoreUnavailableError) throw reply;
    return reply;
  }

  private grantedFromDisk(request: LeaseRequest, rest: WindowRest): LeaseReply {
    const { workerId, fencingToken, lastUsedMs, untilMs } = rest;
    this.held = { workerId, fencingToken, untilMs, layout: request.layout };
    this.onDisk.add(grantOf(fencingToken));
    this.nonceAtDisk = request.nonce;
    return {
      outcome: 'new',
      workerId,
      fencingToken,
      fromMs: lastUsedMs,
      untilMs,
      storeNowMs: this.clock.now(),
    };
  }

  /**
   * Shows a fencing token from disk only if the store grants no other lease. So an undetected clone of the disk affects at
   * most the rest of one window, and the wait after a lost history.
   */
  private async renewFromDisk(request: LeaseRequest, deadline: CallDeadline): Promise<LeaseReply> {
    const own = await this.inner.lease({ ...request, claim: undefined }, deadline);
    if (!isRefusal(own)) return this.noted(request, own);
    return this.noted(request, await this.inner.lease(request, deadline));
  }

  /** Gives the store the whole time of the call: the rest on disk is used while the caller waits for the reason. */
  private async replyOf(
    request: LeaseRequest,
    deadline: CallDeadline,
  ): Promise<LeaseReply | StoreUnavailableError> {
    const { clock, inner } = this;
    try {
      const call = inner.lease(request, deadline);
      return await settledWithin(clock, deadline.remainingMs(), call, () => unanswered(inner, deadline));
    } catch (thrown) {
      const error = asSnowflakeError(thrown, inner.description);
      if (error instanceof StoreUnavailableError) return error;
      throw error;
    }
  }

  private noted(request: LeaseRequest, reply: LeaseReply): LeaseReply {
    const { layout, claim } = request;
    if (reply.outcome === 'new') {
      const { workerId, fencingToken, untilMs } = reply;
      this.held = { workerId, fencingToken, untilMs, layout };
      this.nonceAtDisk = undefined;
    }
    if (reply.outcome === 'kept' && claim) {
      const { fencingToken, untilMs } = reply;
      this.held = { workerId: claim.workerId, fencingToken, untilMs, layout };
    }
    if (reply.outcome === 'copied') this.held = undefined;
    return reply;
  }

  private async releaseInStore(request: ReleaseRequest, deadline?: CallDeadline): Promise<ReleaseReply> {
    if (this.onDisk.has(grantOf(request.fencingToken))) {
      throw new StoreUnavailableError(
        'The worker ID is not released: the rest of its window is or was on disk. It becomes free when the window ends.',
      );
    }
    return this.inner.release(request, deadline);
  }

  private newRest(): RestAtStart {
    return new RestAtStart(this.file, this.nameInFile, this.clock);
  }

  private async drafted(rest: WindowRest): Promise<string | undefined> {
    try {
      const found = await this.file.look();
      if (found.kind === 'unusable' && found.isForeign) throw new Error(`the file there ${found.problem}`);
      return await this.file.draft(rest);
    } catch (error) {
      this.warn(
        `The rest of the window could not be kept in ${this.file.path} (${(error as Error).message}). The worker ID is ` +
          `released instead.`,
      );
      return undefined;
    }
  }

  /** Even if this fails, the next process may have the rest, so the store must not grant the worker ID to others. */
  private async published(draft: string): Promise<void> {
    try {
      await this.file.publish(draft);
    } catch (error) {
      throw new StoreUnavailableError(
        `The rest of the window may not have been kept in ${this.file.path}: ${(error as Error).message}`,
        error,
      );
    }
  }
}

type Refusal = StoreUnavailableError | Extract<LeaseReply, { outcome: 'wait' | 'full' | 'alone' }>;

/** Returns whether the store grants no lease now, but may later. */
function isRefusal(reply: LeaseReply | StoreUnavailableError): reply is Refusal {
  if (reply instanceof StoreUnavailableError) return true;
  return reply.outcome === 'wait' || reply.outcome === 'full' || reply.outcome === 'alone';
}
