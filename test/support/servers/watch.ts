import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const WATCHDOG = fileURLToPath(new URL('./watchdog.sh', import.meta.url));

const watched = new Set<number>();
let watchdog: ChildProcessByStdio<Writable, null, null> | undefined;

/** Makes sure that `pid` ends by `signal`, and `directory` is removed, should this process end without doing so. */
export function watch(pid: number, signal: NodeJS.Signals, directory = ''): void {
  watchdog ??= startWatchdog();
  watched.add(pid);
  watchdog.stdin.write(`+${pid} ${signal} ${directory}\n`);
}

/** The process has ended: its number may soon belong to another one. */
export function unwatch(pid: number): void {
  if (!watched.delete(pid)) return;
  watchdog?.stdin.write(`-${pid}\n`);
  if (watched.size > 0) return;
  watchdog?.stdin.end();
  watchdog = undefined;
}

function startWatchdog(): ChildProcessByStdio<Writable, null, null> {
  const child = spawn('/bin/sh', [WATCHDOG], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  child.unref();
  (child.stdin as Writable & { unref?: () => void }).unref?.();
  child.stdin.on('error', () => undefined);
  return child;
}
