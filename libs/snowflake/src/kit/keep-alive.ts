import { sharedInProcess } from '../core/process-memory.js';

/** In a Cloudflare Worker, which has no process to keep alive, a port lacks these methods. */
interface Port {
  ref?(): void;
  unref?(): void;
  close(): void;
}

/** The open stores of this process, and who lets it end nevertheless. */
class ProcessLife {
  private readonly open = new Set<Port>();
  private readonly letEnd = new Set<() => void>();
  private readonly drained = (): void => {
    for (const onDrained of this.letEnd) onDrained();
  };

  add(port: Port): void {
    this.open.add(port);
    if (this.letEnd.size === 0) port.ref?.();
  }

  remove(port: Port): void {
    this.open.delete(port);
    port.close();
  }

  begin(onDrained: () => void): void {
    if (this.letEnd.size === 0) process.on('beforeExit', this.drained);
    this.letEnd.add(onDrained);
    for (const port of this.open) port.unref?.();
  }

  end(onDrained: () => void): void {
    if (!this.letEnd.delete(onDrained) || this.letEnd.size > 0) return;
    process.off('beforeExit', this.drained);
    for (const port of this.open) port.ref?.();
  }
}

const life = sharedInProcess('what keeps the process alive', () => new ProcessLife());

/**
 * Keeps the process alive while a store is open. Its socket doesn't, because not every store has one, and because a process
 * can end while an app starts in it; see {@link letProcessEnd}. A call in flight keeps the process alive by its timeout.
 */
export class KeepAlive {
  private port: Port | undefined;

  begin(): void {
    this.port ??= new MessageChannel().port1;
    life.add(this.port);
  }

  end(): void {
    if (this.port) life.remove(this.port);
    this.port = undefined;
  }
}

/**
 * Open stores don't keep the process alive from now on, until the function that is returned is called.
 *
 * @param onDrained called when nothing else keeps the process alive
 */
export function letProcessEnd(onDrained: () => void): () => void {
  life.begin(onDrained);
  return () => life.end(onDrained);
}
