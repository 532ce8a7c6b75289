import { VirtualClock } from '../../store-testing/virtual-clock.js';
import { DenseRuns } from './dense-runs.js';

/** @param takenEachTurn IDs that the caller takes per turn of the event loop; all turns are in one tick */
function runsGranted(turns: number, takenEachTurn: number): number {
  let credit = 0;
  let runs = 0;
  const endsOfTurn: (() => void)[] = [];
  const clock = Object.assign(new VirtualClock(), {
    afterThisTurn: (task: () => void) => void endsOfTurn.push(task),
  });
  const dense = new DenseRuns(clock, () => {
    const left = credit;
    credit = 0;
    return left;
  });
  for (let turn = 0; turn < turns; turn++) {
    for (let taken = 0; taken < takenEachTurn; taken++) {
      if (credit === 0) {
        credit = dense.grant();
        if (credit > 1) runs++;
      }
      credit--;
    }
    for (const task of endsOfTurn.splice(0)) task();
  }
  return runs;
}

describe('DenseRuns', () => {
  it('grants a run in each turn that takes many IDs', () => {
    expect(runsGranted(100, 10)).toBe(100);
  });

  it('continues if a turn used only one ID of its last run', () => {
    expect(runsGranted(1, 3 + 320)).toBe(10);
    expect(runsGranted(50, 3 + 64 + 1)).toBe(50 * 3);
  });

  it('grants fewer and fewer runs if calls come once per turn', () => {
    // After 4 readings, then 8, 16, 32, 64 and 128, then 256 each.
    expect(runsGranted(4 + 8 + 16 + 32 + 64 + 128 + 10 * 256, 1)).toBe(16);
  });
});
