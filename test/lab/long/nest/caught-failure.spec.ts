import { Inspector } from '../../../lease/support/inspector.js';
import { SHORT_WINDOW } from '../../../lease/support/short-window.js';
import { spawnChild, type TestChild } from '../../../support/child.js';
import { startRedis, type RedisServer } from '../../../support/servers/index.js';
import { waitFor } from '../../../support/wait.js';

const TIMEOUT_MS = 60_000;
const RENEWALS = 12;

let server: RedisServer;
let child: TestChild;

beforeEach(async () => {
  server = await startRedis();
});
afterEach(async () => {
  await child?.kill();
  await server.stop();
});

const isCaught = (message: unknown): message is { caught: string } =>
  typeof (message as { caught?: unknown }).caught === 'string';

/** An app whose own provider fails at the start, in a process that catches that and goes on. */
async function startAndFail(windowMs: number): Promise<Inspector> {
  const args = [server.url, String(windowMs)];
  child = spawnChild(new URL('./children/caught-failure.ts', import.meta.url), { args });
  expect((await child.next(isCaught)).caught).toContain('the mail server is down');
  return new Inspector(server.url, 'caught');
}

describe('an app whose start fails for its own reason, in a process that catches the error', () => {
  it('keeps the process alive and renews its lease', async () => {
    // Longer than any stall: a process whose window has ended may go on with another worker ID.
    const inspector = await startAndFail(60_000);
    child.send({ order: 'disconnect' });
    let last = (await inspector.row(0)).reservedUntilMs;
    for (let renewal = 0; renewal < RENEWALS; renewal++) {
      last = await waitFor('a renewal', TIMEOUT_MS, async () => {
        const { fencingToken, reservedUntilMs } = await inspector.row(0);
        expect(fencingToken).not.toBe('');
        return reservedUntilMs > last && reservedUntilMs;
      });
    }
    await inspector.close();
  });

  it('loses the lease at the end of its window once the process has ended', async () => {
    const inspector = await startAndFail(SHORT_WINDOW.windowMs);
    child.send({ order: 'exit' });
    expect(await child.untilEnd(TIMEOUT_MS)).toEqual({ code: 3, signal: null });
    const { fencingToken, reservedUntilMs } = await inspector.row(0);
    expect(fencingToken).not.toBe('');
    await waitFor('its window to end', TIMEOUT_MS, () => Date.now() > reservedUntilMs);
    expect(await inspector.row(0)).toEqual({ workerId: 0, fencingToken, reservedUntilMs });
    await inspector.close();
  });
});
