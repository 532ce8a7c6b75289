import type { ZookeeperLeaseStoreOptions } from 'nestjs-snowflake-coordination/zookeeper';
import { seeDocs } from 'nestjs-snowflake/internal/core/see-docs';
import { deadlineIn } from 'nestjs-snowflake/internal/kit/call-deadline';
import { asSnowflakeError } from 'nestjs-snowflake/internal/lease/store-caller';
import { ZookeeperConnection } from 'nestjs-snowflake-coordination/internal/zookeeper/zookeeper-lease-store';
import { systemClock } from 'nestjs-snowflake/core';
import { finding, findingOf } from './findings.js';
import { type ServerReport, stopped } from './server-report.js';

const PROBLEM =
  'A standalone ZooKeeper does not show that it lost writes. The option assumeNoLostWrites asserts that it never does.';
const REMEDY = `Use an ensemble, or never start it with older data. ${seeDocs('stores/etcd-and-zookeeper', 'What no store can detect')}`;

/** Examines a ZooKeeper: whether it answers, what its user may do, and whether it shows its history. */
export async function examineZookeeper(
  options: ZookeeperLeaseStoreOptions,
  timeoutMs: number,
): Promise<ServerReport> {
  const description = `zookeeper namespace "${options.namespace}"`;
  try {
    const connection = new ZookeeperConnection(description, options);
    try {
      const { historyId, isStandalone } = await connection.tryRights(deadlineIn(systemClock, timeoutMs));
      const findings = isStandalone
        ? [finding('HISTORY_HIDDEN', PROBLEM, { severity: 'warning', remedy: REMEDY })]
        : [];
      return { findings, historyId, isReadable: true, examined: ['server', 'rights', 'history'] };
    } finally {
      await connection.close();
    }
  } catch (error) {
    return stopped(findingOf(asSnowflakeError(error, description)));
  }
}
