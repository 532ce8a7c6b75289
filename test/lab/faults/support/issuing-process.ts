import type { LeaseStore, SnowflakeIdMaker, SnowflakeOptions } from 'nestjs-snowflake';
import type { Clock } from 'nestjs-snowflake/core';
import { SteppedClock } from '../../../lease/support/stepped-clock.js';
import { leaseWithDefect, passedOn, withDefect } from './defects.js';
import type { IssuerJob } from './issuer-job.js';
import { IssuingHolder } from './issuing-holder.js';
import { type WriteLog, logWriter } from './issuer-log.js';

/** The library that an issuing process runs. */
export interface LibraryUnderTest {
  makeStore(job: IssuerJob): LeaseStore;
  makeMaker(options: SnowflakeOptions, clock: Clock): SnowflakeIdMaker;
}

/** Starts the holders of the job in the process's arguments, and issues until it is ordered to leave or killed. */
export async function runIssuingProcess(library: LibraryUnderTest): Promise<void> {
  const job = JSON.parse(process.argv[2] ?? '') as IssuerJob;
  const clock = new SteppedClock();
  clock.step(job.clockOffsetMs);
  const holders = Array.from({ length: job.holders }, (_, index) => {
    const log = logWriter(job, index);
    const store = loggedStore(withDefect(library.makeStore(job), job.defect), job, log);
    const { layout } = job;
    const lease = leaseWithDefect(job.lease, job.defect);
    return new IssuingHolder(job, index, library.makeMaker({ store, layout, lease }, clock), log);
  });
  const rounds = setInterval(() => {
    for (const holder of holders) holder.issue();
  }, job.roundMs);
  process.on('message', () => {
    clearInterval(rounds);
    // Its leases must be released, however busy the computer is.
    clock.slowTimers();
    void Promise.all(holders.map((holder) => holder.stop())).then(() => process.disconnect());
  });
  await Promise.all(holders.map((holder) => holder.start()));
}

/** Logs the calls to the store, and loses releases, if the job requires it. */
function loggedStore(store: LeaseStore, job: IssuerJob, log: WriteLog): LeaseStore {
  if (!job.logsCalls) return store;
  return passedOn(store, {
    lease(request, deadline) {
      log({ type: 'lease', request });
      return store.lease(request, deadline);
    },
    release(request, deadline) {
      log({ type: 'release', request });
      if (job.losesReleases) return Promise.reject(new Error('lost on the way'));
      return store.release(request, deadline);
    },
  });
}
