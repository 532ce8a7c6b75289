import { existsSync } from 'node:fs';
import { spawnChild } from '../child.js';
import { waitFor } from '../wait.js';

interface Started {
  readonly pid: number;
  readonly dir: string;
}
const isStarted = (message: unknown): message is Started => Object.hasOwn(message as object, 'pid');

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
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
