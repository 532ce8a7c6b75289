import type { Clock, ScheduledTask } from 'nestjs-snowflake/core';
import type { WatchEvent } from '../api/console-api.js';
import type { EventSink } from './event-sink.js';

/** How often the registries are read, in milliseconds, while somebody watches and the store is quick. */
export const READ_EVERY_MS = 2000;
/** On a SQL database, readings wait for the connection that renews the lease, and renewals for readings. */
const SHARE_OF_TIME = 1 / 5;
/** The page takes a connection for dead that brings no event for 15 s. */
const READ_AT_LEAST_EVERY_MS = 10_000;
/** Who may watch is asked when a listener comes, so it has to come again. */
export const LONGEST_LISTENING_MS = 600_000;
/** A proxy that hears nothing may close the connection. A reading can take longer than its interval. */
const HEARTBEAT_EVERY_MS = 15_000;

/**
 * Reads what there is to watch, once for all listeners, and not at all if nobody listens. Readings never overlap. A listener
 * gets the last reading at once.
 */
export class Watch {
  /** The listeners, and what ends each. */
  private readonly sinks = new Map<EventSink, ScheduledTask>();
  private latest: string | undefined;
  private isReading = false;
  private next: ScheduledTask | undefined;
  private heartbeat: ScheduledTask | undefined;
  private isClosed = false;

  /** @param read bounded. A reading that fails is left out */
  constructor(
    private readonly read: () => Promise<WatchEvent>,
    private readonly clock: Pick<Clock, 'now' | 'schedule'>,
    private readonly maxListeners: number,
  ) {}

  /** Why nobody else can listen now; undefined if there is room. */
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
    const end = this.clock.schedule(LONGEST_LISTENING_MS, () => {
      sink.send('event: renew\ndata: {}\n\n');
      this.leave(sink);
      sink.end();
    });
    this.sinks.set(sink, end);
    if (this.latest !== undefined) sink.send(this.latest);
    if (this.heartbeat === undefined) this.beatLater();
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
    if (this.sinks.size > 0) return;
    this.next?.cancel();
    this.heartbeat?.cancel();
    this.next = this.heartbeat = this.latest = undefined;
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
    this.latest = `event: watch\ndata: ${JSON.stringify(event)}\n\n`;
    for (const sink of this.sinks.keys()) sink.send(this.latest);
  }

  private beatLater(): void {
    this.heartbeat = this.clock.schedule(HEARTBEAT_EVERY_MS, () => {
      for (const sink of this.sinks.keys()) sink.send(': still here\n\n');
      this.beatLater();
    });
  }
}
