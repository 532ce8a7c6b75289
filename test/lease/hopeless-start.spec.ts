import { freePort } from '../support/servers/index.js';
import { spawnChild } from '../support/child.js';

interface Outcome {
  readonly outcome: string;
}

const isOutcome = (message: unknown): message is Outcome =>
  typeof message === 'object' && message !== null && 'outcome' in message;

describe('a start that cannot succeed [promise: fail-closed]', () => {
  it('rejects before the process exits, although no connection keeps the process alive', async () => {
    const url = `rediss://127.0.0.1:${await freePort()}`;
    const child = spawnChild(new URL('./children/hopeless-start.ts', import.meta.url), { args: [url] });
    await expect(child.next(isOutcome)).resolves.toEqual({ outcome: 'SNOWFLAKE_ACQUIRE_TIMEOUT' });
    await expect(child.untilEnd(20_000)).resolves.toEqual({ code: 0, signal: null });
  });
});
