import { memoryLeaseStore } from 'nestjs-snowflake/standalone';
import { ServedLeases } from './served-leases.js';

describe('the leases that a service passes on', () => {
  it('lose no connection to readings of a client that waits too short', async () => {
    let reconnections = 0;
    const store = Object.assign(memoryLeaseStore(), {
      inspect: () => new Promise<never>(() => undefined),
      reconnect: () => void (reconnections += 1),
    });
    const served = new ServedLeases(new Map([['shop', store]]), 2000, () => undefined);
    for (const _ of [1, 2, 3]) {
      await expect(served.inspect('shop', 0)).rejects.toMatchObject({ code: 'SNOWFLAKE_STORE_UNAVAILABLE' });
    }
    expect(reconnections).toBe(0);
  });
});
