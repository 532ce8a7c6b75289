import type { EtcdLeaseStoreOptions } from 'nestjs-snowflake-coordination/etcd';
import type { RedisLeaseStoreOptions } from 'nestjs-snowflake/redis';
import type { ZookeeperLeaseStoreOptions } from 'nestjs-snowflake-coordination/zookeeper';
import { readFileSync, writeFileSync } from 'node:fs';
import type { BitLayoutOptions, LeaseOptions } from 'nestjs-snowflake';

/** What an issuing process is to do. */
export interface IssuingJob {
  /** Where its worker ID comes from: a namespace in a store, or a fixed one that nobody guards. */
  readonly lease:
    | { readonly redis: RedisLeaseStoreOptions }
    | { readonly etcd: EtcdLeaseStoreOptions }
    | { readonly zookeeper: ZookeeperLeaseStoreOptions }
    | { readonly workerId: number };
  readonly leaseOptions?: LeaseOptions;
  readonly layout: BitLayoutOptions;
  /** How many times the sizes of a round are issued, one by one and in bulk. */
  readonly rounds: number;
  /** Where its clock stands still, Unix time in milliseconds; absent for one that goes. */
  readonly standsAtMs?: number;
  /** Where the IDs and the times of their batches are written. */
  readonly idsFile: string;
}

/** One batch of IDs and the clock readings around it, Unix time in milliseconds. */
export interface Batch {
  /** Number of IDs issued up to its end. */
  readonly end: number;
  readonly beforeMs: number;
  readonly afterMs: number;
}

/** What a process has issued, in this order. */
export interface Issued {
  readonly ids: BigUint64Array;
  readonly batches: readonly Batch[];
}

const batchesFile = (file: string): string => `${file}.batches`;

/** Eight bytes for each ID, and three doubles for each batch in a second file. */
export function writeIssued(file: string, { ids, batches }: Issued): void {
  writeFileSync(file, ids);
  const numbers = batches.flatMap(({ end, beforeMs, afterMs }) => [end, beforeMs, afterMs]);
  writeFileSync(batchesFile(file), new Float64Array(numbers));
}

export function readIssued(file: string): Issued {
  const numbers = new Float64Array(aligned(batchesFile(file)));
  const batches: Batch[] = [];
  for (let index = 0; index < numbers.length; index += 3) {
    const [end = 0, beforeMs = 0, afterMs = 0] = numbers.subarray(index, index + 3);
    batches.push({ end, beforeMs, afterMs });
  }
  return { ids: new BigUint64Array(aligned(file)), batches };
}

/** Node may hand a file out in the middle of a larger buffer, where no 64-bit number can begin. */
function aligned(file: string): ArrayBuffer {
  return Uint8Array.from(readFileSync(file)).buffer;
}
