/**
 * A process that issues numbers of one tag. It sends `ready` with its first segment, begins on `go`, sends `issued` after the
 * numbers of its job, and waits for SIGTERM, at which it gives its rests back.
 */
import { appendFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import libsql from 'libsql';
import { Segments, sqlSegmentStore } from 'nestjs-snowflake-segments';
import type { ClaimingJob } from '../support/claiming-job.js';

const BATCH_SIZE = 5000;

const job = JSON.parse(process.argv[2] ?? '') as ClaimingJob;
const dataSource =
  'sqliteFile' in job.dataSource
    ? ({ type: 'better-sqlite3', driver: libsql, database: job.dataSource.sqliteFile } as const)
    : job.dataSource;
const segments = new Segments({
  store: sqlSegmentStore({ dataSource, tableName: job.tableName, createTable: true }),
  tags: ['order'],
  maxStep: 50_000,
  maxHeld: 200_000,
  callTimeoutMs: 30_000,
  readyTimeoutMs: 120_000,
  stopTimeoutMs: 60_000,
});

async function issue(): Promise<void> {
  const source = segments.source('order');
  for (let issued = 0; issued < job.count; issued += BATCH_SIZE) {
    await source.ready(BATCH_SIZE);
    appendFileSync(job.numbersFile, new Uint8Array(new Float64Array(source.nextMany(BATCH_SIZE)).buffer));
    await setImmediate();
  }
  process.send?.({ status: 'issued' });
}

process.on('message', () => void issue());
process.once('SIGTERM', () => void segments.stop().then(() => process.disconnect()));
await segments.start();
process.send?.({ status: 'ready' });
