import { setImmediate as nextTurn } from 'node:timers/promises';
import { measure } from 'mitata';
import { collectGarbage } from './garbage.js';

/**
 * Waits for a turn of the event loop of its own, and for a new millisecond.
 *
 * A correct generator with 12 bits of sequence has 4,096 IDs a millisecond: in a loop without a rest, 244 ns per ID is
 * what the layout allows, however fast the code is. After a rest, a short burst meets an empty sequence.
 */
async function rest(): Promise<void> {
  await nextTurn();
  const lastMs = Date.now();
  while (Date.now() === lastMs);
}

/**
 * Time of a call in ns: the median of short bursts, timed by mitata, with a rest before each. It leaves out what hits
 * few bursts: other processes, and most garbage collections, which show where IDs are made without a rest.
 *
 * @param loop calls the code so often
 */
export async function timePerCall(
  loop: (calls: number) => void | Promise<void>,
  callsPerBurst: number,
  bursts: number,
): Promise<number> {
  const { p50 } = await measure(
    function* () {
      yield { 0: rest, bench: (_rested: unknown) => loop(callsPerBurst) };
    } as unknown as Parameters<typeof measure>[0],
    {
      gc: collectGarbage,
      min_samples: bursts,
      max_samples: bursts,
      min_cpu_time: 0,
      // Bursts are never put together into batches: there has to be a rest before each.
      batch_threshold: -1,
    },
  );
  return p50 / callsPerBurst;
}
