import type { Clock } from 'nestjs-snowflake/core';
import { SnowflakeError, type SnowflakeIdMaker, StoreCorruptError } from 'nestjs-snowflake/standalone';
import type { MakerStatusWatch, MakerWatch } from '../api/console-api.js';
import { registryWatch } from './registry-watch.js';
import type { Report } from './report.js';

/** Reads one maker and its namespace, within the maker's `callTimeoutMs`. Never rejects. */
export async function makerWatch(
  name: string,
  maker: SnowflakeIdMaker,
  clock: Pick<Clock, 'now'>,
  report: Report,
): Promise<MakerWatch> {
  const range = { first: 0, total: maker.layout.maxWorkerId + 1 };
  const registry = await maker
    .inspect()
    .then((snapshot) => {
      const [broken] = snapshot.unreadable ?? [];
      if (broken) {
        const cause = new StoreCorruptError(maker.status().store, broken.field, broken.stored);
        report(`A part of the registry of the ID maker "${name}" can't be read`, cause);
      }
      return { registry: registryWatch(snapshot, range) };
    })
    .catch((error: unknown) => {
      report(`The registry of the ID maker "${name}" can't be read`, error);
      return { registryErrorCode: codeOf(error) };
    });
  return { name, hostNowMs: clock.now(), status: statusOf(maker), ...registry };
}

/** Returns the code of an error instead of its message, which may be long or name a host. */
export function codeOf(error: unknown): string {
  return error instanceof SnowflakeError ? error.code : 'SNOWFLAKE_STORE_UNAVAILABLE';
}

function statusOf(maker: SnowflakeIdMaker): MakerStatusWatch {
  const status = maker.status();
  return {
    state: status.state,
    workerId: status.workerId,
    datacenterId: status.datacenterId,
    leaseUntilMs: status.leaseUntil?.getTime(),
    idsLeft: status.idsLeft,
    expiresAtMs: status.expiresAt.getTime(),
    issued: status.issued,
    driftMs: status.driftMs,
    clockCorrectionMs: status.clockCorrectionMs,
    failedCalls: { ...status.failedCalls },
    lastErrorCode: status.lastError?.code,
  };
}
