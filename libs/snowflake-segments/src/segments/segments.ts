import { randomBytes } from 'node:crypto';
import { type Clock, InvalidOptionError, StoppedError, systemClock } from 'nestjs-snowflake/core';
import { HistoryChangedError } from '../core/segment-errors.js';
import { safeReason } from 'nestjs-snowflake/internal/core/errors/foreign-error';
import {
  requireClock,
  requireFunction,
  requireObject,
  requireOptions,
} from 'nestjs-snowflake/internal/core/options/option-checks';
import { isSpaceName } from 'nestjs-snowflake/internal/core/options/space-name';
import { oneInProcess } from 'nestjs-snowflake/internal/core/process-memory';
import { settledWithin } from 'nestjs-snowflake/internal/kit/call-deadline';
import { StoreUnavailableError } from 'nestjs-snowflake/store';
import { DatabaseWatch } from './database-watch.js';
import { nextEventLoopTurn } from '../store/event-loop-turn.js';
import { RestReturner } from './rest-returner.js';
import type { SegmentEvent, SegmentListener } from './segment-events.js';
import { SegmentSource } from './segment-source.js';
import type { StoreSnapshot } from '../store/segment-store.js';
import { leaveShared, openShared } from '../store/store-users.js';
import {
  type CheckedTag,
  checkHighest,
  checkSegmentsOptions,
  checkTag,
  DEFAULT_TABLE_STEP,
  type HighestNumber,
  type SegmentsOptions,
  type SegmentsSettings,
  TAG_NAME,
  type TagOptions,
} from './segments-options.js';

/** What {@link Segments} takes from the process, for tests and simulations. */
export interface SegmentsDependencies {
  /** @defaultValue {@link systemClock} */
  readonly clock?: Clock;
  /** Returns an unguessable text of up to 48 characters that is different each time. */
  readonly makeToken?: () => string;
}

const TOKEN_BYTES = 16;
/** How much of `readyTimeoutMs` a new tag waits for its `startAfter`. With the rest, callers of `ready()` get the cause instead of a timeout. */
const START_AFTER_SHARE = 0.9;

/**
 * Holds the tags of an app. Each tag has its own dense numbers, which need neither a clock nor a worker ID. The numbers
 * of one segment ascend. A claim takes the lowest returned numbers before new ones, so a later segment can have lower
 * numbers than an earlier one. Inject it from `SegmentModule`, or construct it yourself.
 *
 * @example
 * ```ts
 * const store = sqlSegmentStore({ dataSource, createTable: true });
 * const segments = new Segments({ store, tags: ['ticket'] });
 * await segments.start();
 * const number = segments.source('ticket').next(); // 1
 * await segments.stop(); // returns the unused numbers
 * ```
 */
@oneInProcess('Segments')
export class Segments {
  private readonly settings: SegmentsSettings;
  private readonly clock: Clock;
  private readonly makeToken: () => string;
  private readonly sources = new Map<string, SegmentSource>();
  /** How to create the tags that the store may lack. */
  private readonly creatable = new Map<string, CheckedTag>();
  private readonly listeners = new Set<SegmentListener>();
  private readonly databases = new DatabaseWatch((event) => this.emit(event));
  private readonly returner: RestReturner;
  /** Returns of the numbers of sources that have stopped by themselves. */
  private readonly leaving = new Set<Promise<void>>();
  private isOpen = false;
  private openedMs = 0;
  /** Whether any source was ever granted a segment. */
  private wasGranted = false;
  private isStopped = false;
  private stopping: Promise<void> | undefined;

  /** @throws InvalidOptionError */
  constructor(options: SegmentsOptions, dependencies: SegmentsDependencies = {}) {
    this.settings = checkSegmentsOptions(options);
    requireOptions('dependencies', dependencies, { clock: true, makeToken: true });
    const { clock = systemClock, makeToken = randomToken } = dependencies;
    this.clock = requireClock('clock', clock, ['now', 'schedule']);
    this.makeToken = requireFunction('makeToken', makeToken);
    const { store, callTimeoutMs } = this.settings;
    this.returner = new RestReturner({ store, callTimeoutMs, clock: this.clock });
    if (this.settings.createTags) for (const each of this.settings.tags) this.creatable.set(each.tag, each);
  }

  /** Describes the store, without secrets. */
  get store(): string {
    return this.settings.store.description;
  }

  /** Names of the tags whose sources exist. */
  get tags(): string[] {
    return [...this.sources.keys()];
  }

  /**
   * Claims the first segment of every listed tag. If that fails, it stops all sources, and returns what they hold.
   *
   * @throws SegmentExhaustedError after `readyTimeoutMs`; UnknownTagError, HistoryChangedError, StoreRejectedError
   */
  async start(): Promise<void> {
    const { tags, readyTimeoutMs, stopTimeoutMs } = this.settings;
    const endMs = this.clock.now() + readyTimeoutMs;
    try {
      await Promise.all(tags.map(({ tag }) => this.source(tag).ready()));
    } catch (error) {
      // A store that has not answered until now would not answer a stop either.
      await this.stopWithin(Math.min(stopTimeoutMs, Math.max(0, endMs - this.clock.now())));
      throw error;
    }
  }

  /**
   * Returns the source of a tag, the same one at each call until it is stopped. A new source claims its first segment in the background, so
   * `await source.ready()` before you use it, unless the tag is listed.
   *
   * @throws InvalidOptionError for an invalid name; StoppedError
   */
  source(tag: string): SegmentSource {
    const known = this.sources.get(TAG_NAME.check('tag', tag));
    if (known) return known;
    if (this.isStopped) throw new StoppedError(undefined, tag);
    this.open();
    const source = this.makeSource(tag);
    this.sources.set(tag, source);
    return source;
  }

  /** Returns the source of a tag, if the tag is listed or the app has asked for its source before. Creates nothing. */
  find(tag: string): SegmentSource | undefined {
    return this.sources.get(tag);
  }

  /**
   * Creates a tag unless the store has it, and returns its source when numbers are at hand. An idle source costs only memory;
   * `await source.stop()` returns its numbers and frees it.
   *
   * @throws InvalidOptionError; the errors of {@link start}
   * @example
   * ```ts
   * const source = await segments.create(`ticket:${tenantId}`);
   * const number = source.next(); // 1
   * ```
   */
  async create(options: string | TagOptions): Promise<SegmentSource> {
    const checked = checkTag(options);
    this.creatable.set(checked.tag, checked);
    const source = this.source(checked.tag);
    await source.ready();
    return source;
  }

  /** Returns all tags of the store, with returned numbers and held segments. @throws SnowflakeError */
  inspect(): Promise<StoreSnapshot> {
    return this.whileOpen(() => this.settings.store.inspect());
  }

  /**
   * Resumes claims after a HistoryChangedError or a restore. You assert that no number above `highest` was ever issued.
   * Pass a number for every tag that an app with this library has claimed from the store: the highest one in the tables
   * that use it and in `status().highest` of every process that still runs. Wait for `callTimeoutMs` before you look,
   * so that no reply of the old server arrives later.
   *
   * @throws InvalidOptionError if a tag is missing, a number is out of bounds, or a tag that the store lacks has an
   * invalid name
   */
  async resume(
    highest: Readonly<Record<string, Exclude<TagOptions['startAfter'], () => unknown>>>,
  ): Promise<void> {
    requireObject('highest', highest, 'Pass the highest number of every tag: { order: 4711 }.');
    const checked = Object.fromEntries(
      Object.entries(highest).map(([tag, number]) => [tag, checkHighest(tag, number)]),
    );
    const reply = await this.whileOpen(async () => {
      await this.requireNames(Object.keys(checked));
      return this.settings.store.resume(checked);
    });
    if (reply.outcome === 'resumed') return;
    const remedy = 'Pass the highest number of every tag, or 0 for a tag without numbers.';
    throw new InvalidOptionError('highest', reply.tags.join(', '), 'lacks these tags', remedy);
  }

  /** Refuses names that no new tag can have, unless the store has such a tag: one that Leaf has made. */
  private async requireNames(tags: readonly string[]): Promise<void> {
    const others = tags.filter((tag) => !isSpaceName(tag));
    if (others.length === 0) return;
    const stored = new Set((await this.settings.store.inspect()).tags.map(({ tag }) => tag));
    for (const tag of others) if (!stored.has(tag)) TAG_NAME.check('tag', tag);
  }

  /**
   * Calls `listener` with every {@link SegmentEvent}. Returns a function that unsubscribes it.
   *
   * @throws InvalidOptionError
   */
  subscribe(listener: SegmentListener): () => void {
    this.listeners.add(requireFunction('listener', listener));
    return () => void this.listeners.delete(listener);
  }

  /** Stops all sources immediately, returns their unused numbers, and closes the store. Never rejects. */
  stop(): Promise<void> {
    return this.stopWithin(this.settings.stopTimeoutMs);
  }

  private stopWithin(lateMs: number): Promise<void> {
    this.isStopped = true;
    this.stopping ??= this.stopAll(lateMs);
    return this.stopping;
  }

  private async stopAll(lateMs: number): Promise<void> {
    await Promise.all([
      ...[...this.sources.values()].map((source) => source.stopWithin(lateMs)),
      ...this.leaving,
    ]);
    if (this.isOpen) await leaveShared(this.settings.store);
  }

  /** Runs a call in its own turn. After a stop, opens the store for this call only. */
  private async whileOpen<Reply>(call: () => Promise<Reply>): Promise<Reply> {
    const { isStopped } = this;
    const { store, callTimeoutMs } = this.settings;
    if (isStopped) openShared(store, callTimeoutMs);
    else this.open();
    try {
      await nextEventLoopTurn(this.clock);
      return await call();
    } finally {
      if (isStopped) await leaveShared(store);
    }
  }

  /** Forgets a source that the app has stopped, and how its tag was created, unless the tag is listed. */
  private forget(tag: string, returned: Promise<void>): void {
    if (this.isStopped) return;
    this.sources.delete(tag);
    if (this.settings.tags.every((each) => each.tag !== tag)) this.creatable.delete(tag);
    this.leaving.add(returned);
    void returned.finally(() => this.leaving.delete(returned));
  }

  private open(): void {
    if (this.isOpen) return;
    this.isOpen = true;
    this.openedMs = this.clock.now();
    openShared(this.settings.store, this.settings.callTimeoutMs);
  }

  private makeSource(tag: string): SegmentSource {
    const { makeRule, ...settings } = this.settings;
    const { clock, makeToken, returner } = this;
    return new SegmentSource(tag, {
      ...settings,
      clock,
      makeToken,
      returner,
      rule: makeRule(),
      firstStep: this.creatable.get(tag)?.step ?? DEFAULT_TABLE_STEP,
      emit: (event) => this.emit(event),
      noteStop: (name, returned) => this.forget(name, returned),
      noteDatabases: (name, reply) => {
        this.wasGranted = true;
        this.databases.note(name, reply);
      },
      queueMs: () => this.queueMs(),
      createTag: (name) => this.createTag(name),
    });
  }

  /**
   * How long a claim may wait for other processes. Until this one has its first number, that is what is left of its start, less the time of
   * the call itself: one of a crowd would lose its place with every call that begins again.
   */
  private queueMs(): number {
    const { callTimeoutMs, readyTimeoutMs } = this.settings;
    if (this.wasGranted) return callTimeoutMs;
    return Math.max(callTimeoutMs, this.openedMs + readyTimeoutMs - callTimeoutMs - this.clock.now());
  }

  /** @returns whether the tag may be created */
  private async createTag(tag: string): Promise<boolean> {
    const options = this.creatable.get(tag);
    if (!options) return false;
    const { step, description } = options;
    const first = checkHighest('startAfter', await this.highestOf(options)) + 1;
    // The app's query may have outlasted the stop.
    if (this.isStopped) throw new StoppedError(undefined, tag);
    await nextEventLoopTurn(this.clock);
    const reply = await this.settings.store.create({ tag, first, step, description });
    if (reply.outcome === 'lost') throw new HistoryChangedError(this.store, reply.reason);
    return true;
  }

  /** @throws StoreUnavailableError if the app's function fails, or does not answer in time */
  private async highestOf({ tag, startAfter }: CheckedTag): Promise<HighestNumber> {
    if (typeof startAfter !== 'function') return startAfter;
    const timeoutMs = START_AFTER_SHARE * this.settings.readyTimeoutMs;
    const late = (): Error => new Error(`no answer within ${timeoutMs} ms`);
    try {
      return await settledWithin(this.clock, timeoutMs, Promise.resolve(startAfter()), late);
    } catch (error) {
      throw new StoreUnavailableError(
        `The function startAfter of the tag "${tag}" failed: ${safeReason(error)}`,
        error,
      );
    }
  }

  private emit(event: SegmentEvent): void {
    for (const listener of this.listeners) {
      try {
        listener(event);
      } catch {
        // A listener must not keep numbers from being claimed.
      }
    }
  }
}

function randomToken(): string {
  return randomBytes(TOKEN_BYTES).toString('hex');
}
