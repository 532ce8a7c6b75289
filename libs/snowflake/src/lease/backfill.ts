import {
  BackfillRefusedError,
  LayoutMismatchError,
  StoreCorruptError,
  StoreUnavailableError,
} from '../core/errors/lease-errors.js';
import { InvalidOptionError } from '../core/errors/input-errors.js';
import type { IdGenerator } from '../core/generator/generator.js';
import { lastPastTick, pastIds, pastTicks } from '../core/generator/past-ids.js';
import type { Instant } from '../core/layout/bit-layout-options.js';
import { checkedOptions, oneOf, type OptionRules } from '../core/options/option-rule.js';
import { ignoresLoss, type KeeperEnvironment, type KeeperSettings } from './lease-options.js';
import type { BackfillReply, BackfillRequest, LeaseStore } from './lease-store.js';
import { StoreCaller } from './store-caller.js';

/** Options of {@link SnowflakeIdMaker.backfill}. */
export interface BackfillOptions {
  /**
   * What to do if nothing shows that the store still has all claims of earlier imports: after its server restarted, was replaced or
   * restored, and before the first import of a namespace that was not declared new with `npx nestjs-snowflake-cli init`.
   *
   * `refuse` throws. `ignore` asserts that no claim and no lease was lost. If the assertion is wrong, IDs repeat. The default is `ignore`
   * if `NODE_ENV` is `development` or `test` and the address of the store is this machine. Otherwise it is `refuse`.
   *
   * @defaultValue refuse, or ignore in development and tests with a store on this machine
   */
  possibleLoss?: 'refuse' | 'ignore';
}

const OPTIONS = {
  possibleLoss: oneOf<'refuse' | 'ignore'>('refuse', 'ignore').optional(),
} satisfies OptionRules<BackfillOptions>;

/** How much younger than its instant an ID may become, so that batches that meet in one instant can follow each other. */
const MAX_SHIFT_MS = 1000;
const MAX_COUNT = 10_000_000;

type Claimed = Extract<BackfillReply, { outcome: 'claimed' }>;

/** Generates IDs for past instants, from timestamps that the store claims for each batch. */
export class Backfill {
  private readonly caller: StoreCaller;
  /** The worker ID of the last claim. The next batch continues on it, so that batches ascend. */
  private workerId: number | undefined;

  constructor(
    private readonly store: LeaseStore,
    private readonly generator: Pick<IdGenerator, 'layout' | 'nowMs'>,
    private readonly settings: KeeperSettings,
    private readonly environment: KeeperEnvironment,
  ) {
    this.caller = new StoreCaller(store, environment.clock);
  }

  async idsAt(instants: readonly Instant[], options: BackfillOptions): Promise<string[]> {
    const { possibleLoss } = checkedOptions('backfill', options, OPTIONS);
    requireBatch(instants);
    const { layout } = this.generator;
    const ticks = pastTicks(layout, instants);
    const [first] = ticks;
    if (first === undefined) return [];
    const untilMs = layout.endOfTick(lastPastTick(layout, ticks));
    const maxShiftMs = Math.max(MAX_SHIFT_MS, layout.tickMs);
    this.requirePast(instants, untilMs + maxShiftMs);
    const claim = { firstMs: layout.startOfTick(first), untilMs, maxShiftMs };
    const { workerId, fromMs } = await this.claim(claim, possibleLoss);
    this.workerId = workerId;
    const { datacenterId } = this.settings;
    return pastIds(layout, ticks, Math.max(first, layout.tickAt(fromMs) + 1), { workerId, datacenterId });
  }

  private requirePast(instants: readonly Instant[], endMs: number): void {
    if (endMs <= this.generator.nowMs()) return;
    throw new InvalidOptionError(
      `instants[${instants.length - 1}]`,
      instants.at(-1),
      'is in the future or the last second, or so many instants are equal that their IDs would be',
      'Use nextId() for rows of the present.',
    );
  }

  private async claim(
    claim: Pick<BackfillRequest, 'firstMs' | 'untilMs' | 'maxShiftMs'>,
    possibleLoss: BackfillOptions['possibleLoss'],
  ): Promise<Claimed> {
    const { store, settings, environment, workerId } = this;
    const { firstWorkerId, workerCount, fingerprint, callTimeoutMs } = settings;
    const assertion = possibleLoss === 'refuse' ? 'wait' : possibleLoss;
    const ignoreLoss = ignoresLoss({ possibleLoss: assertion }, store, environment.nodeEnv());
    const range = { layout: fingerprint, firstWorkerId, workerCount };
    const request: BackfillRequest = { ...range, ...claim, workerId, ignoreLoss };
    const reply = await this.caller.call(
      async (deadline) => store.backfill?.(request, deadline),
      callTimeoutMs,
    );
    if (reply?.outcome === 'claimed') return this.believed(reply, request);
    if (reply?.outcome === 'layout')
      throw new LayoutMismatchError(store.description, fingerprint, reply.storedLayout);
    if (reply?.outcome === 'corrupt')
      throw new StoreCorruptError(store.description, reply.field, reply.stored);
    if (reply?.outcome === 'wait') {
      throw new StoreUnavailableError(
        `${store.description} claims no past timestamps yet: it may have lost leases, and waits until these have ended. Retry in a minute.`,
      );
    }
    throw new BackfillRefusedError(store.description, reply?.outcome ?? 'unsupported');
  }

  /** Believes no claim that is shorter than what this batch uses. */
  private believed(
    reply: Claimed,
    { firstMs, untilMs, maxShiftMs, firstWorkerId, workerCount }: BackfillRequest,
  ): Claimed {
    const shiftMs = Math.max(0, reply.fromMs + 1 - firstMs);
    const isInRange = reply.workerId >= firstWorkerId && reply.workerId < firstWorkerId + workerCount;
    if (isInRange && shiftMs <= maxShiftMs && reply.untilMs >= untilMs + shiftMs) return reply;
    throw new StoreCorruptError(this.store.description, 'reply', JSON.stringify(reply));
  }
}

function requireBatch(instants: readonly Instant[]): void {
  if (Array.isArray(instants) && instants.length <= MAX_COUNT) return;
  throw new InvalidOptionError(
    'instants',
    instants,
    `is not an array of at most ${MAX_COUNT} instants`,
    'Pass the created_at of each row of a batch, in ascending order.',
  );
}
