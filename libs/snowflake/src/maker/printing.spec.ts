import { inspect } from 'node:util';
import type { LeaseStore } from '../lease/lease-store.js';
import type { LeaseEvent } from '../lease/lease-event.js';
import { memoryLeaseStore } from '../stores/memory/memory-lease-store.js';
import { SnowflakeIdMaker } from './snowflake-id-maker.js';
import { atOnce } from '../../../../test/support/at-once.js';

const SECRET = 'hunter2';
const lease = { possibleLoss: 'ignore' as const };

/** A store of an app, which keeps its password in the open. */
function ownStore(changes: Partial<LeaseStore> = {}): LeaseStore & { readonly password: string } {
  const inner = memoryLeaseStore();
  return {
    password: SECRET,
    description: 'own store',
    renewable: true,
    lease: (request) => inner.lease(request),
    release: (request) => inner.release(request),
    inspect: () => inner.inspect(),
    close: () => inner.close(),
    ...changes,
  };
}

describe('an ID maker that is printed', () => {
  it('shows its status, and nothing of the store that it holds', async () => {
    const ids = new SnowflakeIdMaker({ store: ownStore(), lease });
    await atOnce(ids.start());
    expect(inspect(ids)).toMatch(
      /^SnowflakeIdMaker \{\s+state: 'active',\s+store: 'own store',\s+workerId: 0,/,
    );
    expect(inspect({ ids }, { depth: Infinity, showHidden: true, getters: true })).not.toContain(SECRET);
    expect(JSON.parse(JSON.stringify({ ids }))).toEqual({ ids: JSON.parse(JSON.stringify(ids.status())) });
    expect(inspect(ids, { customInspect: false, depth: 3, showHidden: true })).not.toContain(SECRET);
    // Control: the store itself shows it.
    expect(inspect({ ids: { store: ownStore() } }, { depth: 3 })).toContain(SECRET);
    await atOnce(ids.stop());
  });
});

describe('a store of an app', () => {
  it('refuses a store that calls itself by a URL with a password', () => {
    const store = ownStore({ description: `redis://app:${SECRET}@db` });
    expect(() => new SnowflakeIdMaker({ store })).toThrow(
      expect.objectContaining({ option: 'store.description', value: '(not shown)' }),
    );
  });

  it('shows the URL in a warning without its password', async () => {
    const events: LeaseEvent[] = [];
    const store = ownStore({ open: ({ warn }) => warn?.(`falls back to redis://app:${SECRET}@db`) });
    const ids = new SnowflakeIdMaker({ store, lease });
    ids.subscribe((event) => events.push(event));
    await atOnce(ids.start());
    await atOnce(ids.stop());
    expect(events).toContainEqual({ type: 'warning', message: 'falls back to redis://***@db' });
  });

  it.each(['open', 'lease'] as const)('removes a password from the error of a store: %s', async (method) => {
    const fail = async (): Promise<never> => {
      throw Object.assign(new TypeError('refused'), { config: { password: SECRET } });
    };
    const ids = new SnowflakeIdMaker({
      store: ownStore({ [method]: fail }),
      lease: { ...lease, acquireTimeoutMs: 1 },
    });
    const error: unknown = await ids.start().catch((thrown: unknown) => thrown);
    expect(error).toHaveProperty('message', expect.stringContaining('own store failed: refused'));
    expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain(SECRET);
  });
});
