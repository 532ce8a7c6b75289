import type { Socket } from 'node:net';
import { TcpProxy } from '../../support/proxies/tcp-proxy.js';

/**
 * A link to a server on 127.0.0.1 that can be cut and healed later. Healing delivers what was in flight, but not that a
 * sender has closed meanwhile: in a real network, that can take another round trip.
 */
export class LateLink extends TcpProxy {
  static override readonly allowHalfOpen = true;
  private held: (() => void)[] | undefined;
  private wasCut = false;
  /** Chunks received from clients. */
  received = 0;

  cut(): void {
    this.held ??= [];
    this.wasCut = true;
  }

  /** What was under way arrives, in order. */
  heal(): void {
    for (const deliver of this.held ?? []) deliver();
    this.held = undefined;
  }

  protected override forward(source: Socket, sink: Socket, isReply: boolean): void {
    source.on('data', (chunk: Buffer) => {
      if (!isReply) this.received += 1;
      const deliver = (): void => void (sink.writable && sink.write(chunk));
      if (this.held) this.held.push(deliver);
      else deliver();
    });
    // If the sender closes before the cut, its peer sees that and can connect again.
    source.once('close', () => this.wasCut || sink.destroy());
    source.once('end', () => this.wasCut || sink.end());
  }
}
