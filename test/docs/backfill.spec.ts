import { memoryLeaseStore, type SnowflakeIdMaker as IdMaker } from 'nestjs-snowflake';
import { MemoryRegistry } from 'nestjs-snowflake/store';
import { SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import { PageCode } from './page-code.js';

interface Order {
  readonly createdAt: Date;
  readonly item: string;
}
type ImportOrders = (
  ids: IdMaker,
  batches: AsyncIterable<Order[]>,
  save: (rows: (Order & { id: string })[]) => Promise<void>,
) => Promise<void>;

const code = new PageCode('docs/guides/backfill.md');

describe('the page about backfilling IDs', () => {
  it('prepares a namespace, and imports rows with IDs of the time of their creation', async () => {
    const store = memoryLeaseStore({ registry: new MemoryRegistry() });
    const ids = new SnowflakeIdMaker({ store, lease: { possibleLoss: 'ignore' } });
    await ids.start();
    const prepare = await code.run<(ids: IdMaker) => Promise<string[]>>('first-import.ts', 'prepare');
    await prepare(ids);
    const importOrders = await code.run<ImportOrders>('import-orders.ts', 'importOrders');
    const batches = [['2025-03-01', '2025-03-02'], ['2026-01-05']].map((days) =>
      days.map((day) => ({ createdAt: new Date(day), item: 'PEN' })),
    );
    const saved: (Order & { id: string })[] = [];
    const read = async function* () {
      yield* batches;
    };
    await importOrders(ids, read(), async (rows) => void saved.push(...rows));
    expect(saved.map(({ id }) => ids.decode(id).timestamp)).toEqual(saved.map(({ createdAt }) => createdAt));
    expect(code.notRun()).toEqual([]);
    await ids.stop();
  });
});
