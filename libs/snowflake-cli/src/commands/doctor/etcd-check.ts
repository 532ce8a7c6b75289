import type { EtcdLeaseStoreOptions } from 'nestjs-snowflake-coordination/etcd';
import { deadlineIn } from 'nestjs-snowflake/internal/kit/call-deadline';
import { asSnowflakeError } from 'nestjs-snowflake/internal/lease/store-caller';
import { EtcdConnection } from 'nestjs-snowflake-coordination/internal/etcd/etcd-lease-store';
import { systemClock } from 'nestjs-snowflake/core';
import { findingOf } from './findings.js';
import { type ServerReport, stopped } from './server-report.js';

/** Examines an etcd: whether it answers, what its user may do, and which history it has. Writes nothing. */
export async function examineEtcd(options: EtcdLeaseStoreOptions, timeoutMs: number): Promise<ServerReport> {
  const description = `etcd namespace "${options.namespace}"`;
  try {
    const connection = new EtcdConnection(description, options);
    try {
      const historyId = await connection.tryRights(deadlineIn(systemClock, timeoutMs));
      return { findings: [], historyId, isReadable: true, examined: ['server', 'rights', 'history'] };
    } finally {
      await connection.close();
    }
  } catch (error) {
    return stopped(findingOf(asSnowflakeError(error, description)));
  }
}
