import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Histogram } from './histogram.js';
import type { Verdict } from './checker.js';
import type { Outcome } from './simulation.js';

/** One run to be made. */
export interface Job {
  readonly seed: number;
  readonly fault: string;
  readonly protocol: string;
}

/** What a process reports. */
export interface JobReport {
  readonly verdict: Verdict;
  readonly stampErrors: [number, number][];
}

/** Workers load the sources without Jest, even when a test starts them, and therefore run at full speed. */
const TYPESCRIPT = new URL('../../support/typescript.mjs', import.meta.url).href;
const WORKER = fileURLToPath(new URL('job-worker.ts', import.meta.url));

/**
 * Runs simulations in several processes.
 *
 * @param done called after each run, in no particular order
 * @throws Error when a run throws
 */
export async function runJobs(
  jobs: Iterator<Job>,
  processes: number,
  done: (job: Job, outcome: Outcome) => void,
): Promise<void> {
  await Promise.all(Array.from({ length: processes }, () => runInProcess(jobs, done)));
}

async function runInProcess(jobs: Iterator<Job>, done: (job: Job, outcome: Outcome) => void): Promise<void> {
  const worker = fork(WORKER, { execArgv: ['--import', TYPESCRIPT] });
  try {
    for (let next = jobs.next(); !next.done; next = jobs.next()) {
      const job = next.value;
      const { verdict, stampErrors } = await ask(worker, job);
      done(job, { seed: job.seed, verdict, stampErrors: Histogram.from(stampErrors) });
    }
  } finally {
    // Without its channel nothing keeps it alive.
    if (worker.connected) worker.disconnect();
  }
}

function ask(worker: ChildProcess, job: Job): Promise<JobReport> {
  return new Promise((resolve, reject) => {
    const onExit = (): void =>
      reject(new Error(`Seed ${job.seed} of ${job.fault} under "${job.protocol}" broke down`));
    worker.once('exit', onExit);
    worker.once('message', (report: JobReport) => {
      worker.off('exit', onExit);
      resolve(report);
    });
    worker.send(job);
  });
}
