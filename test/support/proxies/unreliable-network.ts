import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { TcpProxy } from './tcp-proxy.js';

/**
 * A network of one's own in front of a server on 127.0.0.1. Like a real one, it may be slow or silent, but it loses
 * nothing of what it has taken: when it works again, everything that is under way arrives, in order, even after its
 * sender has gone.
 */
export class UnreliableNetwork extends TcpProxy {
  private gate: Promise<void> = Promise.resolve();
  private openGate: (() => void) | undefined;
  private dripEveryMs = 0;
  private replyDelayMs = 0;

  get url(): string {
    return `redis://${this.address}`;
  }

  get httpUrl(): string {
    return `http://${this.address}`;
  }

  /** A black hole: connections come about and stay, and nothing comes through. */
  swallow(): void {
    this.gate = new Promise((resolve) => (this.openGate = resolve));
  }

  /** One byte at a time, in both directions. */
  drip(everyMs: number): void {
    this.dripEveryMs = everyMs;
  }

  /** Replies arrive late. */
  delayReplies(ms: number): void {
    this.replyDelayMs = ms;
  }

  /** Works again: what is under way arrives. */
  heal(): void {
    this.dripEveryMs = 0;
    this.replyDelayMs = 0;
    this.openGate?.();
  }

  override async close(): Promise<void> {
    this.heal();
    await super.close();
  }

  /** Forwards the data of one side in order, and then its end. */
  protected override forward(source: Socket, sink: Socket, isReply: boolean): void {
    let underway = Promise.resolve();
    source.on('data', (chunk: Buffer) => {
      underway = underway.then(async () => {
        await this.gate;
        if (isReply && this.replyDelayMs > 0) await delay(this.replyDelayMs);
        await this.write(sink, chunk);
      });
    });
    source.on('close', () => {
      underway = underway.then(() => this.gate).then(() => void sink.end());
    });
  }

  private async write(sink: Socket, chunk: Buffer): Promise<void> {
    for (let index = 0; index < chunk.length; index++) {
      if (this.dripEveryMs === 0) {
        sink.write(chunk.subarray(index));
        return;
      }
      sink.write(chunk.subarray(index, index + 1));
      await delay(this.dripEveryMs);
    }
  }
}
