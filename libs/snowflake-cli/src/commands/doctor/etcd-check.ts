import type { EtcdLeaseStoreOptions } from 'nestjs-snowflake/etcd';
import { asSnowflakeError, deadlineIn, EtcdConnection, seeDocs } from 'nestjs-snowflake/kit';
import { systemClock } from 'nestjs-snowflake/core';
import { type Finding, finding, findingOf } from './findings.js';
import { type ServerReport, stopped } from './server-report.js';

const ANNOUNCE = `A restored snapshot can go undetected: before you restore one, stop all processes. ${seeDocs('stores/etcd', 'What no store can detect')}`;

/** Examines an etcd: whether it answers, what its user may do, and whether it shows its history. Writes nothing. */
export async function examineEtcd(options: EtcdLeaseStoreOptions, timeoutMs: number): Promise<ServerReport> {
  const description = `etcd namespace "${options.namespace}"`;
  const findings: Finding[] = [];
  const warn = (problem: string): void => {
    findings.push(finding('HISTORY_HIDDEN', problem, { severity: 'warning', remedy: ANNOUNCE }));
  };
  try {
    const connection = new EtcdConnection(description, options);
    connection.open({ callTimeoutMs: timeoutMs, warn });
    try {
      const historyId = await connection.tryRights(deadlineIn(systemClock, timeoutMs));
      return { findings, historyId, isReadable: true, examined: ['server', 'rights', 'history'] };
    } finally {
      await connection.close();
    }
  } catch (error) {
    return stopped(...findings, findingOf(asSnowflakeError(error, description)));
  }
}
