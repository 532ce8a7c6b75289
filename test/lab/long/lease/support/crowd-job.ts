import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import {
  type BitLayoutOptions,
  type LeaseOptions,
  SnowflakeIdMaker,
  staticLeaseStore,
} from 'nestjs-snowflake/standalone';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { clockAt } from './standing-clock.js';

/** What the processes and threads under one cluster primary are to do. */
export interface CrowdJob {
  /** Where each gets its worker ID: from a namespace in Redis, or one and the same that nobody guards. */
  readonly lease: { readonly url: string; readonly namespace: string } | { readonly workerId: number };
  readonly leaseOptions?: LeaseOptions;
  readonly layout: BitLayoutOptions;
  /** Where the clock of each stands still, Unix time in milliseconds; absent for clocks that go. */
  readonly standsAtMs?: number;
  readonly processes: number;
  readonly threads: number;
  /** How many batches each makes, and how many IDs per batch. */
  readonly batches: number;
  readonly idsPerBatch: number;
  /** Where the IDs are written, eight bytes each. */
  readonly folder: string;
}

/** What a process or a thread reports to its primary, and the primary to the test. */
export interface CrowdMessage {
  readonly status: 'holding' | 'issued';
  readonly workerId: number | undefined;
}

/** The orders that the test sends to the primary, and the primary to all its processes and threads. */
export interface CrowdOrder {
  readonly order: 'go' | 'leave';
}

/** The report of the primary for all: its own worker ID, then those of the processes and of the threads. */
export interface CrowdReport {
  readonly status: CrowdMessage['status'];
  readonly primary: number | undefined;
  readonly workerIds: readonly (number | undefined)[];
}

/** What a thread is started with. */
export interface ThreadData {
  readonly job: CrowdJob;
  /** Room for the IDs of all threads. */
  readonly shared: SharedArrayBuffer;
  readonly index: number;
}

export function makerFor({ lease, layout, leaseOptions, standsAtMs }: CrowdJob): SnowflakeIdMaker {
  const clock = clockAt(standsAtMs);
  const store = 'url' in lease ? redisLeaseStore(lease) : staticLeaseStore({ ...lease, clock });
  return new SnowflakeIdMaker({ store, layout, lease: leaseOptions }, { clock });
}

export const idsPerMember = ({ batches, idsPerBatch }: CrowdJob): number => batches * idsPerBatch;

/** Where a process of the cluster writes its IDs. */
export const fileOfProcess = ({ folder }: CrowdJob, index: number): string =>
  join(folder, `process-${index}`);

/** Where the primary writes those of all threads. */
export const fileOfThreads = ({ folder }: CrowdJob): string => join(folder, 'threads');

/** All IDs in one array, eight bytes each and nothing more: member by member, the processes first. */
export function readCrowd(job: CrowdJob): BigUint64Array {
  const ids = new BigUint64Array((job.processes + job.threads) * idsPerMember(job));
  const bytes = new Uint8Array(ids.buffer);
  const files = Array.from({ length: job.processes }, (_, index) => fileOfProcess(job, index));
  if (job.threads > 0) files.push(fileOfThreads(job));
  let at = 0;
  for (const file of files) {
    const descriptor = openSync(file, 'r');
    for (let read = -1; read !== 0; at += read)
      read = readSync(descriptor, bytes, at, bytes.length - at, null);
    closeSync(descriptor);
  }
  if (at !== bytes.length) throw new Error(`Read ${at} bytes of ${bytes.length}`);
  return ids;
}
