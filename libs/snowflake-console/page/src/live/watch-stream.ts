import type { WatchChange, WatchEvent } from '../../../src/api/console-api.js';
import { changed } from './changed.js';
import { type RefusalReason, refusalReason } from './refusal.js';

/** `paused`: the tab is hidden, and the page requests nothing. A reason: the app answers with something other than a stream. */
export type Connection = 'connecting' | 'open' | 'lost' | 'paused' | RefusalReason;

export interface WatchListener {
  watched(event: WatchEvent): void;
  connectionChanged(connection: Connection): void;
}

/** The app sends an event every 2 s, and every 10 s if its store is slow. A connection that is silent for this long is considered dead. */
const SILENT_MS = 15_000;
/** Browsers don't reconnect after an answer that is not a stream, such as 503. */
const REOPEN_AFTER_MS = 5_000;

/** Follows the events of the app while the tab is shown. */
export class WatchStream {
  private source: EventSource | undefined;
  private latest: WatchEvent | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly address: string,
    private readonly listener: WatchListener,
  ) {}

  start(): void {
    document.addEventListener('visibilitychange', this.follow);
    this.follow();
  }

  stop(): void {
    document.removeEventListener('visibilitychange', this.follow);
    this.close();
  }

  private readonly follow = (): void => {
    this.close();
    this.listener.connectionChanged(document.hidden ? 'paused' : 'connecting');
    if (!document.hidden) this.open();
  };

  private open(): void {
    this.close();
    const source = new EventSource(this.address);
    this.source = source;
    this.expectEvent();
    source.addEventListener('watch', ({ data }: MessageEvent<string>) =>
      this.show(JSON.parse(data) as WatchEvent),
    );
    source.addEventListener('change', ({ data }: MessageEvent<string>) =>
      this.show(changed(this.latest, JSON.parse(data) as WatchChange) as WatchEvent),
    );
    // The app authorizes the new connection again.
    source.addEventListener('renew', () => this.open());
    source.addEventListener('error', () => {
      if (source.readyState === EventSource.CLOSED) void this.findReason(source);
      else this.listener.connectionChanged('lost');
    });
  }

  private async findReason(refused: EventSource): Promise<void> {
    const reason = await refusalReason(this.address);
    if (this.source !== refused) return;
    this.listener.connectionChanged(reason);
    this.later(REOPEN_AFTER_MS, () => this.open());
  }

  private show(event: WatchEvent): void {
    this.latest = event;
    this.expectEvent();
    this.listener.connectionChanged('open');
    this.listener.watched(event);
  }

  private expectEvent(): void {
    this.later(SILENT_MS, () => {
      this.listener.connectionChanged('lost');
      this.open();
    });
  }

  /** Keeps the state `lost` until an event comes, so that attempts are not announced. */
  private later(ms: number, act: () => void): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(act, ms);
  }

  private close(): void {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = undefined;
  }
}
