import { memoryLeaseStore, type SnowflakeOptions, staticLeaseStore } from 'nestjs-snowflake/standalone';
import { MemoryRegistry } from 'nestjs-snowflake/store';
import { VirtualClock } from '../../libs/snowflake/src/stores/port/virtual-clock.js';
import { duplicatesIn } from '../lease/support/id-checks.js';
import { MakerPool } from '../lease/support/maker-pool.js';

/** How many IDs each of the makers generates. */
export const IDS_OF_EACH = 4096;

/** The options of a maker with a fixed worker ID, or else with a lease store to itself. */
type Maker = Partial<SnowflakeOptions> & { readonly workerId?: number };

/** Starts makers, and returns how many of the IDs that they generate in the same milliseconds are repeated. */
export async function repeatedIds(makers: readonly Maker[]): Promise<number> {
  const clock = new VirtualClock('2026-01-01T00:00:00Z');
  const pool = new MakerPool();
  try {
    const started = [];
    for (const { workerId, lease, ...options } of makers) {
      const store =
        workerId === undefined
          ? memoryLeaseStore({ clock, registry: new MemoryRegistry() })
          : staticLeaseStore({ workerId, clock });
      started.push(
        await pool.start({ store, ...options, lease: { possibleLoss: 'ignore', ...lease } }, { clock }),
      );
    }
    clock.step(1000);
    return duplicatesIn(started.map((maker) => maker.nextBigInts(IDS_OF_EACH))).length;
  } finally {
    await pool.stopAll();
  }
}
