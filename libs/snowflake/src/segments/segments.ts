import { randomBytes } from 'node:crypto';
import {
  type Clock,
  HistoryChangedError,
  InvalidOptionError,
  requireClock,
  requireFunction,
  requireObject,
  requireOptions,
  StoppedError,
  systemClock,
} from '../core/index.js';
import { ownTurn } from './own-turn.js';
import type { SegmentEvent, SegmentListener } from './segment-events.js';
import { SegmentSource } from './segment-source.js';
import type { StoreSnapshot } from './segment-store.js';
import {
  checkHighest,
  checkSegmentsOptions,
  checkTag,
  checkTagName,
  type SegmentsOptions,
  type SegmentsSettings,
  type TagOptions,
} from './segments-options.js';

/** What {@link Segments} takes from the process, for tests and simulations. */
export interface SegmentsDependencies {
  /** @defaultValue {@link systemClock} */
  readonly clock?: Clock;
  /** Returns an unguessable text of up to 48 characters that never comes twice. */
  readonly makeToken?: () => string;
}

const TOKEN_BYTES = 16;

/**
 * The tags of an app: dense, roughly ascending numbers per business tag, without a clock and without a worker ID. Inject it
 * from `SegmentModule`, or make it yourself:
 *
 * ```ts
 * const segments = new Segments({ store: sqlSegmentStore({ dataSource, createTable: true }), tags: ['order'] });
 * await segments.start();
 * segments.source('order').next(); // 1
 * ```
 */
export class Segments {
  private readonly settings: SegmentsSettings;
  private readonly clock: Clock;
  private readonly makeToken: () => string;
  private readonly sources = new Map<string, SegmentSource>();
  private readonly created = new Map<string, TagOptions>();
  private readonly listeners = new Set<SegmentListener>();
  private isOpen = false;
  private stopping: Promise<void> | undefined;

  /** @throws InvalidOptionError */
  constructor(options: SegmentsOptions, dependencies: SegmentsDependencies = {}) {
    this.settings = checkSegmentsOptions(options);
    requireOptions('dependencies', dependencies, { clock: true, makeToken: true });
    const { clock = systemClock, makeToken = randomToken } = dependencies;
    this.clock = requireClock('clock', clock, ['now', 'schedule']);
    this.makeToken = requireFunction('makeToken', makeToken);
    if (this.settings.createTags) for (const each of this.settings.tags) this.created.set(each.tag, each);
  }

  /** Names the store, without secrets. */
  get store(): string {
    return this.settings.store.description;
  }

  /** Names of the tags whose sources exist. */
  get tags(): string[] {
    return [...this.sources.keys()];
  }

  /**
   * Claims the first segment of every listed tag. If it fails, gives back what it has claimed.
   *
   * @throws SegmentExhaustedError after `readyTimeoutMs`; UnknownTagError, HistoryChangedError, StoreRejectedError
   */
  async start(): Promise<void> {
    try {
      await Promise.all(this.settings.tags.map(({ tag }) => this.source(tag).ready()));
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /**
   * Returns the source of a tag, always the same. It claims its first segment now, so `await source.ready()` before you use
   * it, unless the tag is listed.
   *
   * @throws InvalidOptionError for a name that no tag can have; StoppedError
   */
  source(tag: string): SegmentSource {
    const known = this.sources.get(checkTagName(tag));
    if (known) return known;
    if (this.stopping) throw new StoppedError(undefined, tag);
    this.open();
    const source = this.makeSource(tag);
    this.sources.set(tag, source);
    return source;
  }

  /**
   * Creates a tag unless the store has it, and returns its source when numbers are at hand.
   *
   * @throws InvalidOptionError; the errors of {@link start}
   */
  async create(options: string | TagOptions): Promise<SegmentSource> {
    const checked = checkTag(options);
    this.created.set(checked.tag, checked);
    const source = this.source(checked.tag);
    await source.ready();
    return source;
  }

  /** Returns all tags of the store, with rests and held segments. @throws SnowflakeError */
  async inspect(): Promise<StoreSnapshot> {
    this.open();
    await ownTurn(this.clock);
    return this.settings.store.inspect();
  }

  /**
   * Takes your word that no number above `highest` was ever handed out, after a HistoryChangedError. Names every tag of the
   * store: the highest one in the tables that use it, and in `status().highest` of every process that still runs. Wait for
   * `callTimeoutMs` before you look, so that no reply of the old server is still on its way.
   *
   * @throws InvalidOptionError if a tag is missing or a number is out of bounds
   */
  async resume(
    highest: Readonly<Record<string, Exclude<TagOptions['startAfter'], () => unknown>>>,
  ): Promise<void> {
    requireObject('highest', highest, 'Pass the highest number of every tag: { order: 4711 }.');
    this.open();
    const checked = Object.fromEntries(
      Object.entries(highest).map(([tag, number]) => [checkTagName(tag), checkHighest(tag, number)]),
    );
    await ownTurn(this.clock);
    const reply = await this.settings.store.resume(checked);
    if (reply.outcome === 'resumed') return;
    const remedy = 'Name the highest number of every tag; 0 for a tag without numbers.';
    throw new InvalidOptionError('highest', reply.tags.join(', '), 'names no number for these tags', remedy);
  }

  /** Calls `listener` at every {@link SegmentEvent}. Returns a function that ends this. @throws InvalidOptionError */
  subscribe(listener: SegmentListener): () => void {
    this.listeners.add(requireFunction('listener', listener));
    return () => void this.listeners.delete(listener);
  }

  /** Stops all sources at once, gives their rests back, and closes the store. Never rejects. */
  stop(): Promise<void> {
    this.stopping ??= this.stopAll();
    return this.stopping;
  }

  private async stopAll(): Promise<void> {
    await Promise.all([...this.sources.values()].map((source) => source.stop()));
    if (this.isOpen) await this.settings.store.close().catch(() => undefined);
  }

  private open(): void {
    if (this.isOpen) return;
    this.isOpen = true;
    this.settings.store.open?.({ callTimeoutMs: this.settings.callTimeoutMs });
  }

  private makeSource(tag: string): SegmentSource {
    const { store, maxStep, callTimeoutMs, readyTimeoutMs, stopTimeoutMs, makeRule } = this.settings;
    const { clock, makeToken } = this;
    return new SegmentSource(tag, {
      store,
      clock,
      makeToken,
      callTimeoutMs,
      readyTimeoutMs,
      stopTimeoutMs,
      maxStep,
      rule: makeRule(),
      tell: (event) => this.tell(event),
      createTag: (name) => this.createTag(name),
    });
  }

  /** @returns whether the tag may be created */
  private async createTag(tag: string): Promise<boolean> {
    const options = this.created.get(tag);
    if (!options) return false;
    const { startAfter, step = 1, description } = options;
    const given = typeof startAfter === 'function' ? await startAfter() : startAfter;
    const first = checkHighest('startAfter', given) + 1;
    await ownTurn(this.clock);
    const reply = await this.settings.store.create({ tag, first, step, description });
    if (reply.outcome === 'lost') throw new HistoryChangedError(this.store, reply.reason);
    return true;
  }

  private tell(event: SegmentEvent): void {
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
