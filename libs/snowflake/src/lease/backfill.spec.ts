import fc from 'fast-check';
import { BitLayout } from '../core/layout/bit-layout.js';
import type { Instant } from '../core/layout/bit-layout-options.js';
import { idOrigin } from './id-origin.js';
import { registryOverview } from './registry-overview.js';
import type { SnowflakeOptions } from '../maker/snowflake-options.js';
import { SnowflakeIdMaker } from '../maker/snowflake-id-maker.js';
import { staticLeaseStore } from '../stores/fixed/fixed-worker-ids.js';
import { memoryLeaseStore } from '../stores/memory/memory-lease-store.js';
import { MemoryRegistry } from '../stores/memory/memory-registry.js';
import { VirtualClock } from '../stores/port/virtual-clock.js';

const NOW_MS = Date.UTC(2026, 10, 1);
const THEN_MS = Date.UTC(2025, 0, 1);
const makers: SnowflakeIdMaker[] = [];

async function started(
  registry = new MemoryRegistry(),
  options: SnowflakeOptions = {},
): Promise<SnowflakeIdMaker> {
  const clock = new VirtualClock(NOW_MS);
  const store = memoryLeaseStore({ registry, clock });
  const ids = new SnowflakeIdMaker({ store, lease: { possibleLoss: 'ignore' }, ...options }, { clock });
  makers.push(ids);
  await ids.start();
  return ids;
}

afterEach(() => Promise.all(makers.splice(0).map((ids) => ids.stop())));

/** Of an operator who asserts that nothing was lost. */
const fill = (ids: SnowflakeIdMaker, instants: readonly Instant[]): Promise<string[]> =>
  ids.backfill(instants, { possibleLoss: 'ignore' });

const at = (...offsetsMs: number[]): Date[] => offsetsMs.map((offsetMs) => new Date(THEN_MS + offsetMs));

describe('ids.backfill() [promise: unique] [promise: order]', () => {
  it('returns an ID for each instant, in the tick of it, ascending', async () => {
    const ids = await started();
    const instants = at(0, 0, 5, 1000, 86_400_000);
    const made = await fill(ids, instants);
    expect(made.map((id) => ids.decode(id).timestamp)).toEqual(instants);
    expect(made.map((id) => ids.decode(id).sequence)).toEqual([0, 1, 0, 0, 0]);
  });

  it('takes the next ticks if more rows have one instant than a tick has numbers', async () => {
    const ids = await started();
    const made = await fill(
      ids,
      Array.from({ length: 10_000 }, () => THEN_MS),
    );
    expect(new Set(made).size).toBe(10_000);
    expect(ids.decode(made.at(-1) ?? '').timestamp).toEqual(new Date(THEN_MS + 2));
  });

  it('continues above the batch before, in the same instant, too', async () => {
    const ids = await started();
    const [first = [], second = []] = [await fill(ids, at(0, 7)), await fill(ids, at(7, 7, 20))];
    expect(ids.decode(second[0] ?? '').timestamp).toEqual(new Date(THEN_MS + 8));
    expect(ids.decode(second[2] ?? '').timestamp).toEqual(new Date(THEN_MS + 20));
    expect(BigInt(second[0] ?? 0)).toBeGreaterThan(BigInt(first[1] ?? 0));
  });

  it('generates no equal IDs when imports of one time run at once, start again, and others generate IDs', async () => {
    const registry = new MemoryRegistry();
    const makersAtOnce = [await started(registry), await started(registry), await started(registry)];
    const batch = fc.array(fc.nat(5000), { minLength: 1, maxLength: 30 });
    const runs = fc.sample(fc.tuple(fc.nat(2), batch), { numRuns: 14, seed: 1 });
    const made: string[] = [];
    for (const [maker, offsets] of runs) {
      const ids = makersAtOnce[maker];
      if (!ids) continue;
      const instants = at(...offsets.toSorted((a, b) => a - b));
      const [batchIds] = await Promise.all([fill(ids, instants), made.push(ids.nextId())]);
      const layout = new BitLayout();
      for (const [index, id] of batchIds.entries()) {
        const lateMs = ids.decode(id).timestamp.getTime() - (instants[index]?.getTime() ?? 0);
        expect(lateMs).toBeGreaterThanOrEqual(0);
        expect(lateMs).toBeLessThanOrEqual(1000 + layout.tickMs);
      }
      expect(batchIds.toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1))).toEqual(batchIds);
      made.push(...batchIds);
    }
    expect(new Set(made).size).toBe(made.length);
  });

  it('is shown as an import, and as no process', async () => {
    const ids = await started();
    const [id = ''] = await fill(ids, at(0));
    const { workerId, timestampMs } = ids.decode(id);
    const { counts, workers, grantsAfterMs } = registryOverview(await ids.inspect());
    expect(counts).toEqual({ held: 1, offline: 0, released: 0, reserved: 1 });
    const row = workers.find((worker) => worker.workerId === workerId);
    expect(row).toMatchObject({ state: 'reserved', claimedUntilMs: timestampMs });
    expect([row?.holder, row?.windowFromMs]).toEqual([undefined, undefined]);
    expect(idOrigin(row, timestampMs, grantsAfterMs)).toBe('import');
  });

  it('fits every layout', async () => {
    const layout = { timestampBits: 39, workerBits: 16, sequenceBits: 8, tickMs: 10 };
    const ids = await started(new MemoryRegistry(), { layout });
    const made = await fill(ids, at(0, 3, 9, 10, 25));
    const times = made.map((id) => ids.decode(id).timestamp.getTime() - THEN_MS);
    expect(times).toEqual([0, 0, 0, 10, 20]);
    expect((await fill(ids, at(25))).map((id) => ids.decode(id).timestamp.getTime() - THEN_MS)).toEqual([30]);
  });

  it('takes instants before the epoch for the epoch', async () => {
    const ids = await started();
    const [id = ''] = await fill(ids, ['1999-12-31']);
    expect(ids.decode(id).timestamp).toEqual(new Date(ids.layout.epochMs));
  });
});

describe('what ids.backfill() refuses', () => {
  it.each<[string, readonly Instant[], string]>([
    ['an instant that is lower than the one before it', at(5, 7, 6), 'instants[2]'],
    ['what is no instant', [THEN_MS, 'yesterday'], 'instants[1]'],
    ['the future', [THEN_MS, NOW_MS + 1000], 'instants[1]'],
    ['the present', [NOW_MS], 'instants[0]'],
    ['what is no array', 'x' as unknown as Instant[], 'instants'],
  ])('refuses %s, and claims nothing', async (_, instants, option) => {
    const registry = new MemoryRegistry();
    const ids = await started(registry);
    const before = new Map(registry.fields);
    await expect(ids.backfill(instants)).rejects.toMatchObject({ code: 'SNOWFLAKE_INVALID_OPTION', option });
    expect(registry.fields).toEqual(before);
  });

  it('returns nothing for nothing', async () => {
    expect(await (await started()).backfill([])).toEqual([]);
  });

  it('refuses the first import of a namespace until the operator asserts that nothing was lost', async () => {
    const ids = await started();
    const refusal = { code: 'SNOWFLAKE_BACKFILL_REFUSED', reason: 'possible-loss', retryable: false };
    await expect(ids.backfill(at(0), { possibleLoss: 'refuse' })).rejects.toMatchObject(refusal);
    await ids.backfill(at(0), { possibleLoss: 'ignore' });
    await expect(ids.backfill(at(5), { possibleLoss: 'refuse' })).resolves.toHaveLength(1);
    const unknown = { possibleLoss: 'wait' as 'ignore' };
    await expect(ids.backfill(at(5), unknown)).rejects.toMatchObject({ option: 'backfill.possibleLoss' });
  });

  it('refuses a store that keeps no claims', async () => {
    const ids = await started(undefined, { store: staticLeaseStore({ workerId: 3 }) });
    const refusal = { code: 'SNOWFLAKE_BACKFILL_REFUSED', reason: 'unsupported' };
    await expect(ids.backfill(at(0))).rejects.toMatchObject(refusal);
  });

  it('refuses before the start and after the stop', async () => {
    const ids = new SnowflakeIdMaker({ store: memoryLeaseStore() });
    await expect(ids.backfill(at(0))).rejects.toMatchObject({ code: 'SNOWFLAKE_NOT_READY' });
    await ids.start();
    await ids.stop();
    await expect(ids.backfill(at(0))).rejects.toMatchObject({ code: 'SNOWFLAKE_STOPPED' });
  });
});
