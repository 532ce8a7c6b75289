import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { TcpProxy } from './tcp-proxy.js';

/** A network in which every message takes its time, in either direction. Messages overtake nothing, and don't wait for each other. */
export class DistantNetwork extends TcpProxy {
  /** How long a message takes in one direction. */
  oneWayMs = 0;

  protected override forward(source: Socket, sink: Socket): void {
    let last = Promise.resolve();
    const later = (arrive: () => void): void => {
      const travelled = delay(this.oneWayMs);
      last = last.then(() => travelled).then(arrive);
    };
    source.on('data', (bytes: Buffer) => later(() => void (sink.destroyed || sink.write(bytes))));
    source.on('close', () => later(() => void sink.end()));
  }
}
