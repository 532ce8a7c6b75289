import { StoreUnavailableError } from '../core/errors/lease-errors.js';
import { registryOverview } from '../lease/registry-overview.js';
import type { LeaseStore, RegistrySnapshot } from '../lease/lease-store.js';
import { memoryLeaseStore } from '../stores/memory/memory-lease-store.js';
import { staticLeaseStore } from '../stores/fixed/fixed-worker-ids.js';
import { VirtualClock } from '../store-testing/virtual-clock.js';
import { SnowflakeIdMaker } from './snowflake-id-maker.js';
import { atOnce } from '../../../../test/support/at-once.js';

const lease = { possibleLoss: 'ignore' as const };

/** A maker whose store reads its registry as the spec says, and counts how often. */
function world(read?: (inner: LeaseStore) => Promise<RegistrySnapshot>) {
  const clock = new VirtualClock();
  const inner = memoryLeaseStore({ clock });
  const seen = { reads: 0, reconnects: 0 };
  const store: LeaseStore = {
    description: inner.description,
    renewable: true,
    lease: (request) => inner.lease(request),
    release: (request) => inner.release(request),
    reconnect: () => void (seen.reconnects += 1),
    inspect: () => {
      seen.reads += 1;
      return read ? read(inner) : inner.inspect();
    },
    close: () => inner.close(),
  };
  const maker = new SnowflakeIdMaker({ store, lease, holderName: 'web-1' }, { clock });
  return { clock, maker, seen };
}

describe('inspect()', () => {
  it('shows who holds which worker ID', async () => {
    const { maker } = world();
    await atOnce(maker.start());
    const { counts, first, total, workers } = registryOverview(await maker.inspect());
    expect({ counts, first, total }).toEqual({
      counts: { held: 1, offline: 0, released: 0 },
      first: 0,
      total: 1024,
    });
    expect(workers).toEqual([expect.objectContaining({ workerId: 0, holder: 'web-1', state: 'held' })]);
    await atOnce(maker.stop());
  });

  it('changes nothing that it reads', async () => {
    const { maker } = world();
    await atOnce(maker.start());
    const before = await maker.inspect();
    expect((await maker.inspect()).rows).toEqual(before.rows);
    await atOnce(maker.stop());
  });

  it('shows a fixed worker ID, too', async () => {
    const maker = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 7 }) });
    await atOnce(maker.start());
    expect((await maker.inspect()).rows).toEqual([expect.objectContaining({ workerId: 7 })]);
    await atOnce(maker.stop());
  });

  it('refuses before the store is open, and after the stop', async () => {
    const { maker } = world();
    await expect(maker.inspect()).rejects.toMatchObject({ code: 'SNOWFLAKE_NOT_READY' });
    await atOnce(maker.start());
    await atOnce(maker.stop());
    await expect(maker.inspect()).rejects.toMatchObject({ code: 'SNOWFLAKE_STOPPED' });
  });

  it('asks the store once for calls that overlap', async () => {
    const { maker, seen } = world();
    await atOnce(maker.start());
    const [one, two] = await Promise.all([maker.inspect(), maker.inspect()]);
    expect(one).toBe(two);
    await maker.inspect();
    expect(seen.reads).toBe(2);
    await atOnce(maker.stop());
  });

  it('gives up on a store that does not answer, and leaves its connection and the lease alone', async () => {
    const { clock, maker, seen } = world(() => new Promise(() => undefined));
    await atOnce(maker.start());
    for (let call = 0; call < 3; call++) {
      const inspected = maker.inspect().catch((error: unknown) => error);
      await clock.advance(20_000);
      expect(await inspected).toMatchObject({ code: 'SNOWFLAKE_STORE_UNAVAILABLE' });
    }
    expect(seen.reconnects).toBe(0);
    expect(maker.status()).toMatchObject({ failedCalls: {}, lastError: undefined });
    expect(maker.canIssue).toBe(true);
    await atOnce(maker.stop());
  });

  it.each<[string, () => Promise<RegistrySnapshot>]>([
    ['rejects with a foreign error', () => Promise.reject(new Error('boom'))],
    [
      'throws at once',
      () => {
        throw new Error('boom');
      },
    ],
    ['rejects with an error of the library', () => Promise.reject(new StoreUnavailableError('boom'))],
  ])('rejects with a typed error if the store %s', async (_how, read) => {
    const { maker } = world(read);
    await atOnce(maker.start());
    await expect(maker.inspect()).rejects.toMatchObject({ code: 'SNOWFLAKE_STORE_UNAVAILABLE' });
    await atOnce(maker.stop());
  });
});
