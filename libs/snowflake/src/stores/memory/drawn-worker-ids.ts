import { randomInt } from 'node:crypto';
import { sharedInProcess } from '../../core/process-memory.js';

/** Variables in which a test runner numbers its workers, which run at the same time: Jest, Vitest. */
const RUNNER_VARIABLES = ['JEST_WORKER_ID', 'VITEST_POOL_ID'] as const;
const DRAWS = 2 ** 31;

/** Returns the number of the worker of a test runner that this process is; `undefined` outside of a test run. */
export function testWorker(env: NodeJS.ProcessEnv = process.env): number | undefined {
  const text = RUNNER_VARIABLES.map((name) => env[name]).find((each) => each !== undefined);
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Returns where the worker IDs of this process begin. */
export function drawnStart(): number {
  // The process draws once, so that its stores agree.
  return testWorker() ?? sharedInProcess('drawn worker ID', () => ({ value: randomInt(DRAWS) })).value;
}

/** The worker IDs of a range, counted from a drawn one on and around. A registry keeps the place in this order as the worker ID. */
export class DrawnWorkerIds {
  constructor(
    private readonly start: number,
    private readonly first: number,
    private readonly count: number,
  ) {}

  /** Returns the worker ID that is at a place. */
  at(place: number): number {
    return this.first + ((place - this.first + (this.start % this.count)) % this.count);
  }

  /** Returns the place of a worker ID. */
  placeOf(workerId: number): number {
    return this.first + ((workerId - this.first + this.count - (this.start % this.count)) % this.count);
  }
}
