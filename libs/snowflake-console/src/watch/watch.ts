import type { Clock, ScheduledTask } from 'nestjs-snowflake/core';
import type { WatchEvent } from '../console-api.js';
import type { EventSink } from '../http/messages.js';

/** How often the registries are read, in milliseconds, while somebody watches. */
export const READ_EVERY_MS = 2000;
/** A proxy that hears nothing may close the connection. A reading can take longer than its interval. */
const HEARTBEAT_EVERY_MS = 15_000;

/**
 * Reads what there is to watch, once for all listeners, and not at all if nobody listens. Readings never overlap. A listener
 * gets the last reading at once.
 */
export class Watch {
  private readonly sinks = new Set<EventSink>();
  private latest: string | undefined;
  private isReading = false;
  private next: ScheduledTask | undefined;
  private heartbeat: ScheduledTask | undefined;
  private isClosed = false;

  /** @param read bounded. A reading that fails is left out */
  constructor(
    private readonly read: () => Promise<WatchEvent>,
    private readonly clock: Pick<Clock, 'schedule'>,
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
    this.sinks.add(sink);
    if (this.latest !== undefined) sink.send(this.latest);
    if (this.heartbeat === undefined) this.beatLater();
    if (!this.isReading && this.next === undefined) void this.readAndSend();
    return () => this.leave(sink);
  }

  /** Ends every answer, so that a shutdown does not wait for them. */
  close(): void {
    this.isClosed = true;
    const sinks = [...this.sinks];
    for (const sink of sinks) this.leave(sink);
    for (const sink of sinks) sink.end();
  }

  private leave(sink: EventSink): void {
    this.sinks.delete(sink);
    if (this.sinks.size > 0) return;
    this.next?.cancel();
    this.heartbeat?.cancel();
    this.next = this.heartbeat = this.latest = undefined;
  }

  private async readAndSend(): Promise<void> {
    this.next = undefined;
    this.isReading = true;
    const event = await this.read().catch(() => undefined);
    this.isReading = false;
    if (this.sinks.size === 0) return;
    this.next = this.clock.schedule(READ_EVERY_MS, () => void this.readAndSend());
    if (event === undefined) return;
    this.latest = `event: watch\ndata: ${JSON.stringify(event)}\n\n`;
    for (const sink of this.sinks) sink.send(this.latest);
  }

  private beatLater(): void {
    this.heartbeat = this.clock.schedule(HEARTBEAT_EVERY_MS, () => {
      for (const sink of this.sinks) sink.send(': still here\n\n');
      this.beatLater();
    });
  }
}
