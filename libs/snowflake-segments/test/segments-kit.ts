import { StoreUnavailableError } from '../../snowflake/src/core/errors/lease-errors.js';
import { VirtualClock } from '../../snowflake/src/stores/port/virtual-clock.js';
import { memorySegmentStore } from '../src/memory/memory-segment-store.js';
import { Segments } from '../src/segments/segments.js';
import type { SegmentsOptions } from '../src/segments/segments-options.js';
import type { SegmentStore } from '../src/store/segment-store.js';

/** A store whose calls a test slows down, breaks, or leaves without a reply. */
export class UnreliableStore implements SegmentStore {
  readonly stride = 1;
  readonly description = 'unreliable store';
  claims = 0;
  delayMs = 0;
  fault: 'none' | 'request lost' | 'reply lost' = 'none';
  isRevoked = false;

  constructor(
    private readonly clock: VirtualClock,
    private readonly inner: SegmentStore = memorySegmentStore(),
  ) {}

  claim(...given: Parameters<SegmentStore['claim']>): ReturnType<SegmentStore['claim']> {
    this.claims += 1;
    if (this.isRevoked) return Promise.resolve({ outcome: 'lost', reason: 'history' });
    return this.faulty(() => this.inner.claim(...given));
  }
  returnRemainder(
    ...given: Parameters<SegmentStore['returnRemainder']>
  ): ReturnType<SegmentStore['returnRemainder']> {
    return this.faulty(() => this.inner.returnRemainder(...given));
  }
  create(...given: Parameters<SegmentStore['create']>): ReturnType<SegmentStore['create']> {
    return this.inner.create(...given);
  }
  inspect(): ReturnType<SegmentStore['inspect']> {
    return this.inner.inspect();
  }
  resume(...given: Parameters<SegmentStore['resume']>): ReturnType<SegmentStore['resume']> {
    return this.inner.resume(...given);
  }
  close(): Promise<void> {
    return Promise.resolve();
  }

  private async faulty<Reply>(call: () => Promise<Reply>): Promise<Reply> {
    if (this.delayMs > 0) await new Promise<void>((resolve) => this.clock.schedule(this.delayMs, resolve));
    if (this.fault === 'request lost') throw new StoreUnavailableError('no connection');
    const reply = await call();
    if (this.fault === 'reply lost') throw new StoreUnavailableError('the connection broke');
    return reply;
  }
}

/** Counts the timers. */
class CountingClock extends VirtualClock {
  scheduled = 0;

  override schedule(...given: Parameters<VirtualClock['schedule']>): ReturnType<VirtualClock['schedule']> {
    this.scheduled += 1;
    return super.schedule(...given);
  }
}

/** Of all segments of a spec. */
export const clock = new CountingClock();
let tokens = 0;
const dependencies = { clock, makeToken: () => `token-${(tokens += 1)}` };

/** Makes segments of the tag `order`, on {@link clock}. */
export function segmentsOn(store: SegmentStore, options: Partial<SegmentsOptions> = {}): Segments {
  return new Segments({ store, tags: ['order'], ...options }, dependencies);
}

/** Starts, while the virtual time goes on. */
export async function started(segments: Segments): Promise<Segments> {
  const start = segments.start();
  start.catch(() => undefined);
  await clock.advance(100);
  await start;
  return segments;
}

/** Lets the virtual time go on while something is awaited. */
export async function meanwhile<Result>(outcome: Promise<Result>): Promise<Result> {
  outcome.catch(() => undefined);
  await clock.advance(100);
  return outcome;
}

/** Stops, while the virtual time goes on. */
export async function stopped(segments: Segments): Promise<void> {
  const stop = segments.stop();
  await clock.advance(10_000);
  await stop;
}

/** Issues evenly for some time. Counts calls that found nothing. */
export async function traffic(segments: Segments, perSecond: number, seconds: number): Promise<number> {
  const source = segments.source('order');
  let starved = 0;
  for (let tenth = 0; tenth < 10 * seconds; tenth++) {
    for (let call = 0; call < perSecond / 10; call++) {
      try {
        source.next();
      } catch {
        starved += 1;
      }
    }
    await clock.advance(100);
  }
  return starved;
}
