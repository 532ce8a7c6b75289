import type { Clock, ScheduledTask } from 'nestjs-snowflake/core';
import type { WatchEvent } from '../api/console-api.js';
import { changeBetween } from './changes.js';
import type { EventSink } from './event-sink.js';

/** How often the registries are read while somebody watches and the store is fast. */
export const READ_EVERY_MS = 2000;
/** The share of the time that readings may take. In a SQL store they share one connection with the renewals of the lease. */
const SHARE_OF_TIME = 1 / 5;
/** The page reconnects if it gets no event for 15 s. */
const READ_AT_LEAST_EVERY_MS = 10_000;
/** After this time a listener has to reconnect, because authorization is checked only when it connects. */
export const MAX_LISTENING_MS = 600_000;
/** Keeps proxies from closing an idle connection, because a reading can take longer than its interval. */
const KEEP_ALIVE_EVERY_MS = 15_000;

/**
 * Reads the watched values once for all listeners, and only while there are listeners. Readings never overlap. A new listener
 * gets the last reading at once, and then what changes.
 */
export class Watch {
  /** The listeners, each with the task that ends it. */
  private readonly sinks = new Map<EventSink, ScheduledTask>();
  /** The listeners that have received every event up to the last reading. */
  private readonly current = new Set<EventSink>();
  private latest: WatchEvent | undefined;
  private isReading = false;
  private next: ScheduledTask | undefined;
  private keepAlive: ScheduledTask | undefined;
  private isClosed = false;

  /** @param read must settle within a bound; a failed reading is skipped */
  constructor(
    private readonly read: () => Promise<WatchEvent>,
    private readonly clock: Pick<Clock, 'now' | 'schedule'>,
    private readonly maxListeners: number,
  ) {}

  /** Why no further listener is admitted; undefined if there is room. */
  get refusal(): 'closed' | 'full' | undefined {
    if (this.isClosed) return 'closed';
    return this.sinks.size >= this.maxListeners ? 'full' : undefined;
  }

  /** Sends every reading to `sink`. @returns a function that ends it */
  listen(sink: EventSink): () => void {
    if (this.refusal !== undefined) {
      sink.end();
      return () => undefined;
    }
    const end = this.clock.schedule(MAX_LISTENING_MS, () => {
      sink.send('event: renew\ndata: {}\n\n');
      this.leave(sink);
      sink.end();
    });
    this.sinks.set(sink, end);
    if (this.latest !== undefined) this.send(sink, wholeText(this.latest));
    if (this.keepAlive === undefined) this.scheduleKeepAlive();
    if (!this.isReading && this.next === undefined) void this.readAndSend();
    return () => this.leave(sink);
  }

  /** Ends every answer, so that a shutdown does not wait for them. */
  close(): void {
    this.isClosed = true;
    const sinks = [...this.sinks.keys()];
    for (const sink of sinks) this.leave(sink);
    for (const sink of sinks) sink.end();
  }

  private leave(sink: EventSink): void {
    this.sinks.get(sink)?.cancel();
    this.sinks.delete(sink);
    this.current.delete(sink);
    if (this.sinks.size > 0) return;
    this.next?.cancel();
    this.keepAlive?.cancel();
    this.next = this.keepAlive = this.latest = undefined;
  }

  private async readAndSend(): Promise<void> {
    this.next = undefined;
    this.isReading = true;
    const fromMs = this.clock.now();
    const event = await this.read().catch(() => undefined);
    this.isReading = false;
    if (this.sinks.size === 0) return;
    const restMs = (this.clock.now() - fromMs) * (1 / SHARE_OF_TIME - 1);
    const waitMs = Math.min(READ_AT_LEAST_EVERY_MS, Math.max(READ_EVERY_MS, restMs));
    this.next = this.clock.schedule(waitMs, () => void this.readAndSend());
    if (event === undefined) return;
    const [whole, change] = [wholeText(event), changeText(this.latest, event)];
    this.latest = event;
    for (const sink of this.sinks.keys()) this.send(sink, this.current.has(sink) ? change : whole);
  }

  /** A listener that misses an event gets the next one as a whole. */
  private send(sink: EventSink, text: string): void {
    if (sink.send(text)) this.current.add(sink);
    else this.current.delete(sink);
  }

  private scheduleKeepAlive(): void {
    this.keepAlive = this.clock.schedule(KEEP_ALIVE_EVERY_MS, () => {
      for (const sink of this.sinks.keys()) sink.send(': keep-alive\n\n');
      this.scheduleKeepAlive();
    });
  }
}

function wholeText(event: WatchEvent): string {
  return `event: watch\ndata: ${JSON.stringify(event)}\n\n`;
}

function changeText(before: WatchEvent | undefined, event: WatchEvent): string {
  return `event: change\ndata: ${JSON.stringify(changeBetween(before, event) ?? {})}\n\n`;
}
