import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { spawnChild } from '../child.js';
import { makeDirectory, removeDirectory } from './server-process.js';
import { waitFor } from '../wait.js';

interface Started {
  readonly pid: number;
  readonly dir: string;
}
const isStarted = (message: unknown): message is Started => Object.hasOwn(message as object, 'pid');

/** One that has ended stays a zombie until its parent asks for it, which in a container may be never. */
function isRunning(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

it('ends the servers of a test process that was killed', async () => {
  const child = spawnChild(new URL('../children/with-redis.ts', import.meta.url));
  const { pid, dir } = await child.next(isStarted);
  expect(isRunning(pid) && existsSync(dir)).toBe(true);
  await child.kill('SIGKILL');
  await waitFor(`redis-server ${pid} to end`, 20_000, () => !isRunning(pid));
  await waitFor(`${dir} to be removed`, 20_000, () => !existsSync(dir));
});

describe('the watchdog', () => {
  const left: ChildProcess[] = [];
  const directories: string[] = [];

  function start(...command: [string, ...string[]]): ChildProcess & { pid: number } {
    const [binary, ...args] = command;
    const child = spawn(binary, args, { stdio: ['pipe', 'pipe', 'ignore'] });
    left.push(child);
    return child as ChildProcess & { pid: number };
  }

  function directory(name: string): string {
    const made = makeDirectory(name);
    directories.push(made);
    return made;
  }

  afterEach(() => {
    for (const child of left.splice(0)) child.kill('SIGKILL');
    for (const made of directories.splice(0)) removeDirectory(made);
  });

  it('ends what it watches and nothing else, by SIGKILL what ignores the signal, and heeds no signal itself', async () => {
    const watchdog = start('/bin/sh', fileURLToPath(new URL('watchdog.sh', import.meta.url)));
    const [watched, forgotten, torn] = [start('cat'), start('cat'), start('cat')];
    const stubborn = start('/bin/sh', '-c', 'trap "" TERM; echo; read -r _');
    await once(stubborn.stdout!, 'data');
    const [removed, kept] = [directory('with blanks in it'), directory('kept')];
    const lines = [
      `+${watched.pid} SIGTERM ${removed}`,
      `+${forgotten.pid} SIGTERM ${kept}`,
      `+${stubborn.pid} SIGTERM `,
      `-${forgotten.pid}`,
      `+${torn.pid} SIGTERM`,
    ];
    watchdog.stdin!.end(lines.join('\n'));
    const ends = [watchdog, stubborn].map((child) => once(child, 'exit'));
    await once(watched, 'exit');
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) watchdog.kill(signal);
    await Promise.all(ends);
    expect([watchdog.exitCode, existsSync(removed), existsSync(kept)]).toEqual([0, false, true]);
    expect([watched, stubborn, forgotten, torn].map(({ signalCode }) => signalCode)).toEqual([
      'SIGTERM',
      'SIGKILL',
      null,
      null,
    ]);
    expect(isRunning(forgotten.pid) && isRunning(torn.pid)).toBe(true);
  });
});
