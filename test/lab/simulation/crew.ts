import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Histogram } from './histogram.js';
import type { Verdict } from './judge.js';
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

/** Members load the sources by themselves, also when a test asks for them, and so run at full speed. */
const TYPESCRIPT = new URL('../../support/typescript.mjs', import.meta.url).href;
const MEMBER = fileURLToPath(new URL('crew-member.ts', import.meta.url));

/**
 * Makes runs in several processes.
 *
 * @param done told of each run as soon as it is over, in no particular order
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
  const member = fork(MEMBER, { execArgv: ['--import', TYPESCRIPT] });
  try {
    for (let next = jobs.next(); !next.done; next = jobs.next()) {
      const job = next.value;
      const { verdict, stampErrors } = await ask(member, job);
      done(job, { seed: job.seed, verdict, stampErrors: Histogram.from(stampErrors) });
    }
  } finally {
    // Without its channel nothing keeps it alive.
    if (member.connected) member.disconnect();
  }
}

function ask(member: ChildProcess, job: Job): Promise<JobReport> {
  return new Promise((resolve, reject) => {
    const onExit = (): void =>
      reject(new Error(`Seed ${job.seed} of ${job.fault} under "${job.protocol}" broke down`));
    member.once('exit', onExit);
    member.once('message', (report: JobReport) => {
      member.off('exit', onExit);
      resolve(report);
    });
    member.send(job);
  });
}
