import { BitLayout, IdDecoder } from 'nestjs-snowflake/core';
import { createIdDefault, dropIdDefault } from '../../../libs/snowflake-cli/src/commands/sql/id-default.js';
import { namespaceFingerprint } from '../../../libs/snowflake/src/lease/namespace-fingerprint.js';
import { cleanUpAfterEach } from '../../support/clean-up.js';
import { TcpProxy } from '../../support/proxies/tcp-proxy.js';
import { waitFor } from '../../support/wait.js';
import { claimOf, firstRequest, granted, renewed } from '../redis-store/requests.js';
import { makeDatabase } from './support/databases.js';
import { Stores } from './support/stores.js';

const WITHIN_MS = 60_000;
const stores = new Stores();
afterEach(() => stores.close());
const cleanUp = cleanUpAfterEach();

/** A layout that puts every field elsewhere, with ticks of 10 ms. */
const LAYOUTS = {
  usual: new BitLayout(),
  other: new BitLayout(
    {
      timestampBits: 36,
      datacenterBits: 3,
      workerBits: 8,
      sequenceBits: 14,
      tickMs: 10,
      order: ['worker', 'datacenter', 'sequence'],
    },
    '2025-01-01T00:00:00Z',
  ),
};

/** A database with the tables of leases, a holder of a lease in it, and what counts the messages that its store sends. */
async function holderIn(layout: BitLayout) {
  const database = await makeDatabase('PostgreSQL', 'IDs made by PostgreSQL');
  cleanUp(() => database.remove());
  const url = new URL(String(Reflect.get(database.options, 'url')));
  const proxy = await TcpProxy.start(Number(url.port));
  cleanUp(() => proxy.close());
  url.port = String(proxy.port);
  const count = { messages: 0 };
  proxy.rules = { fromClient: (bytes) => (count.messages++, bytes) };
  const store = stores.open({ url: url.href, namespace: 'shop', createTable: true });
  const range = { first: 0, count: layout.maxWorkerId + 1 };
  const shared = { layout: namespaceFingerprint(layout, range), workerCount: range.count };
  const held = { grant: await granted(store.lease(firstRequest('aa:holder', shared))) };
  let attempt = 0;
  const renew = async (): Promise<void> => {
    const nonce = `${++attempt}:holder`;
    held.grant = await renewed(
      held.grant,
      store.lease(firstRequest(nonce, { ...shared, ...claimOf(held.grant) })),
    );
  };
  const query = (sql: string): Promise<Record<string, string>[]> => database.admin.query(sql);
  return { query, renew, count };
}

describe.each(Object.entries(LAYOUTS))('snowflake.id() with the %s layout [promise: unique]', (_, layout) => {
  it(
    'generates IDs of a worker ID of its own once a process has renewed its lease, and refuses before',
    async () => {
      const { query, renew } = await holderIn(layout);
      const datacenterId = layout.maxDatacenterId;
      for (const statement of await createIdDefault({ namespace: 'shop', layout, datacenterId }))
        if (!statement.startsWith('--')) await query(statement);
      await expect(query('SELECT snowflake.id()')).rejects.toMatchObject({ code: '55000' });
      await renew();
      await waitFor('the reservation', WITHIN_MS, () =>
        query('SELECT snowflake.id()').catch(() => undefined),
      );
      const rows = await query('SELECT snowflake.id() AS id FROM generate_series(1, 20000)');
      const decoded = rows.map(({ id = '' }) => new IdDecoder(layout).decode(id));
      expect(new Set(rows.map(({ id }) => id)).size).toBe(20_000);
      expect(new Set(decoded.map((each) => `${each.datacenterId ?? 0} ${each.workerId}`))).toEqual(
        new Set([`${datacenterId} 1`]),
      );
      for (const statement of dropIdDefault()) if (!statement.startsWith('--')) await query(statement);
    },
    WITHIN_MS,
  );
});

describe('a database that generates no IDs', () => {
  it(
    'gets a renewal in as few messages as ever',
    async () => {
      const { renew, count } = await holderIn(LAYOUTS.usual);
      await renew();
      count.messages = 0;
      await renew();
      // One reads, one writes.
      expect(count.messages).toBe(2);
    },
    WITHIN_MS,
  );
});
