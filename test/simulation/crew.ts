import { Worker } from 'node:worker_threads';
import { Histogram } from './histogram.js';
import type { Verdict } from './judge.js';
import type { Outcome } from './simulation.js';

/** One run to be made. */
export interface Job {
  readonly seed: number;
  readonly fault: string;
  readonly protocol: string;
}

/** What a thread reports. */
export interface JobReport {
  readonly verdict: Verdict;
  readonly stampErrors: [number, number][];
}

/**
 * Makes runs in several threads.
 *
 * @param done told of each run as soon as it is over, in no particular order
 * @throws Error when a run throws
 */
export async function runJobs(
  jobs: Iterator<Job>,
  threads: number,
  done: (job: Job, outcome: Outcome) => void,
): Promise<void> {
  await Promise.all(Array.from({ length: threads }, () => runInThread(jobs, done)));
}

async function runInThread(jobs: Iterator<Job>, done: (job: Job, outcome: Outcome) => void): Promise<void> {
  const thread = new Worker(new URL('./crew-thread.ts', import.meta.url));
  try {
    for (let next = jobs.next(); !next.done; next = jobs.next()) {
      const job = next.value;
      const { verdict, stampErrors } = await ask(thread, job);
      done(job, { seed: job.seed, verdict, stampErrors: Histogram.from(stampErrors) });
    }
  } finally {
    await thread.terminate();
  }
}

function ask(thread: Worker, job: Job): Promise<JobReport> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void =>
      reject(
        new Error(`Seed ${job.seed} of ${job.fault} under "${job.protocol}" broke down`, { cause: error }),
      );
    thread.once('error', fail);
    thread.once('message', (report: JobReport) => {
      thread.off('error', fail);
      resolve(report);
    });
    thread.postMessage(job);
  });
}
