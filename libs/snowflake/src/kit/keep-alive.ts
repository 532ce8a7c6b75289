import { sharedInProcess } from '../core/process-memory.js';

/** In a Cloudflare Worker, which has no process to keep alive, a port lacks these methods. */
interface Port {
  ref?(): void;
  unref?(): void;
  close(): void;
}

/** The open stores of this process, and who is called when nothing else keeps it alive. As long as somebody is, the stores don't. */
class ProcessLife {
  private readonly open = new Set<Port>();
  private readonly idleListeners = new Set<() => void>();
  private readonly callIdleListeners = (): void => {
    for (const listener of this.idleListeners) listener();
  };

  add(port: Port): void {
    this.open.add(port);
    if (this.idleListeners.size === 0) port.ref?.();
  }

  remove(port: Port): void {
    this.open.delete(port);
    port.close();
  }

  listen(listener: () => void): void {
    if (this.idleListeners.size === 0) process.on('beforeExit', this.callIdleListeners);
    this.idleListeners.add(listener);
    for (const port of this.open) port.unref?.();
  }

  unlisten(listener: () => void): void {
    if (!this.idleListeners.delete(listener) || this.idleListeners.size > 0) return;
    process.off('beforeExit', this.callIdleListeners);
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
 * @param onIdle called when nothing else keeps the process alive
 */
export function letProcessEnd(onIdle: () => void): () => void {
  life.listen(onIdle);
  return () => life.unlisten(onIdle);
}
