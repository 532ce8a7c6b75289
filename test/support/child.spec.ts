import { spawnChild, type TestChild } from './child.js';

interface Echo {
  readonly echo: string;
}
const isEcho = (message: unknown): message is Echo => Object.hasOwn(message as object, 'echo');

describe('a test child', () => {
  const children: TestChild[] = [];
  function start(): TestChild {
    const child = spawnChild(new URL('./children/echo.ts', import.meta.url), {
      args: ['one', 'two'],
      env: { ECHO_COLOUR: 'green' },
    });
    children.push(child);
    return child;
  }
  afterAll(() => Promise.all(children.map((child) => child.kill())));

  it('runs TypeScript, and talks in messages', async () => {
    const child = start();
    child.send({ order: 'echo', text: 'hello' });
    expect(await child.next(isEcho)).toEqual({ echo: 'hello', args: ['one', 'two'], env: 'green' });
    expect(await child.kill('SIGTERM')).toEqual({ code: null, signal: 'SIGTERM' });
  });

  it('says nothing while paused, and ends on SIGKILL all the same', async () => {
    const child = start();
    child.send({ order: 'echo', text: 'first' });
    await child.next(isEcho);
    child.pause();
    child.send({ order: 'echo', text: 'second' });
    await expect(child.next(isEcho, 300)).rejects.toThrow('in vain');
    expect(await child.kill()).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('tells what went wrong when it dies instead of answering', async () => {
    const child = start();
    child.send({ order: 'fail', text: 'out of cheese' });
    await expect(child.next(isEcho)).rejects.toThrow('out of cheese');
    expect((await child.ended).code).toBe(1);
  });
});
