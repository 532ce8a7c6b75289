import { setImmediate as nextTurn } from 'node:timers/promises';
import { Segments, type SegmentStore, sqlSegmentStore } from 'nestjs-snowflake-segments';
import type { DataSourceOptions } from 'typeorm';
import { VirtualClock } from '../../../../../libs/snowflake/src/stores/port/virtual-clock.js';

const TICK_MS = 100;
const PER_SECOND = 100_000;
const PER_TICK = (PER_SECOND * TICK_MS) / 1000;

/** Traffic of 100,000 numbers a second in virtual time, on a real database. */
export class Traffic {
  private readonly clock = new VirtualClock();
  private readonly watched: WatchedStore;
  private readonly segments: Segments;
  private last = 0;
  starved = 0;
  repeated = 0;

  constructor(dataSource: DataSourceOptions, outageMinutes: number) {
    this.watched = new WatchedStore(sqlSegmentStore({ dataSource, createTable: true }));
    const options = { store: this.watched.store, tags: ['order'], outageMinutes, stopTimeoutMs: 0 };
    this.segments = new Segments(options, { clock: this.clock });
  }

  get source() {
    return this.segments.source('order');
  }

  /** Starts, and waits for the numbers of the first second. */
  async begin(): Promise<void> {
    await this.until(this.segments.start().then(() => this.source.ready(PER_SECOND)));
  }

  async run(seconds: number): Promise<void> {
    for (let tick = 0; tick < (seconds * 1000) / TICK_MS; tick++) {
      this.issue();
      await this.elapse();
    }
  }

  end(): Promise<void> {
    return this.until(this.segments.stop());
  }

  private async until(outcome: Promise<void>): Promise<void> {
    const state = { isOver: false };
    const over = outcome.finally(() => (state.isOver = true));
    while (!state.isOver) {
      await this.elapse();
      await nextTurn();
    }
    await over;
  }

  private issue(): void {
    const { source } = this;
    try {
      for (let call = 0; call < PER_TICK; call++) {
        const number = source.next();
        if (number <= this.last) this.repeated += 1;
        this.last = number;
      }
    } catch {
      this.starved += 1;
    }
  }

  /** The virtual time waits for the database at the end of each tick. */
  private async elapse(): Promise<void> {
    await this.clock.advance(TICK_MS);
    await this.watched.idle();
  }
}

/** Resolves when no call of a store is under way. */
class WatchedStore {
  private readonly calls = new Set<Promise<unknown>>();

  constructor(readonly inner: SegmentStore) {}

  get store(): SegmentStore {
    const { inner } = this;
    const claim: SegmentStore['claim'] = (...given) => this.watch(inner.claim(...given));
    const create: SegmentStore['create'] = (...given) => this.watch(inner.create(...given));
    return Object.assign(Object.create(inner) as SegmentStore, { claim, create });
  }

  async idle(): Promise<void> {
    while (this.calls.size > 0) await Promise.all(this.calls);
  }

  private watch<Reply>(call: Promise<Reply>): Promise<Reply> {
    const over = (): void => void this.calls.delete(settled);
    const settled = call.then(over, over);
    this.calls.add(settled);
    return call;
  }
}
