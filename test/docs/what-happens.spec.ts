import { existsSync } from 'node:fs';
import { SCENARIOS } from '../faults/scenarios/index.js';
import { MarkdownPage, ROOT } from './markdown.js';

/** What stands behind each row of the table: faults played on real processes (parts of their names), or a spec. */
const EVIDENCE: Readonly<Record<string, readonly string[]>> = {
  'Redis is down at the start': ['test/nest/bootstrap-failures.spec.ts'],
  'Redis is down or hangs later': [
    'Redis paused',
    'CLIENT PAUSE',
    'TCP black hole',
    'TCP slow drip',
    'Replies late',
    'reply that comes after its timeout',
    'out of memory',
    'password',
    'test/lease/outage.proof.spec.ts',
  ],
  'Redis restarts': [
    'comes back empty',
    'comes back from its AOF',
    'back within the window',
    'constant replication ID',
  ],
  'Redis is wiped': ['FLUSHALL', 'evicted', 'test/lease/wiped-registry.spec.ts'],
  'Failover to a replica': ['Sentinel', 'Cluster', 'stale replica', 'split brain'],
  'A process is paused': ['A process paused', 'A stuck copy', 'reordered'],
  'Clock goes back 5 ms': ['test/lease/clock-rollback.spec.ts'],
  'Clock goes back 1 h': ['an hour off', 'jump by an hour', 'test/lease/clock-rollback.spec.ts'],
  'Clock goes forward 1 h': ['jump by an hour'],
  "Redis's clock goes back": ["Redis's clock stepping"],
  'Sequence exhausted': ['libs/snowflake/src/core/generator/generator.spec.ts'],
  'Worker IDs exhausted': ['test/lease/all-worker-ids.spec.ts'],
  'Rolling deploy': ['200 holders', 'test/lease/longest-offline.spec.ts'],
  SIGTERM: [
    'apps/orders/test/shutdown.spec.ts',
    'apps/orders/test/bounded-shutdown.proof.spec.ts',
    'test/nest/shutdown.spec.ts',
    'test/nest/drain.spec.ts',
  ],
  '`kill -9`, out of memory, power cut': ['Crash loop', 'test/lease/restart-churn.proof.spec.ts'],
  'A second bit layout on a namespace': ['test/lease/layout-mismatch.spec.ts'],
};

const [table] = MarkdownPage.read('docs/operations/failure-modes.md').tablesUnder('What happens when');
const evidence = Object.values(EVIDENCE).flat();

describe('the table of what happens', () => {
  it('has evidence for each of its rows, and no row is missing', () => {
    expect(table?.rows.map(([row]) => row)).toEqual(Object.keys(EVIDENCE));
  });

  it.each(evidence.filter((part) => part.endsWith('.ts')))('%s exists', (path) => {
    expect(existsSync(`${ROOT}/${path}`)).toBe(true);
  });

  it.each(evidence.filter((part) => !part.endsWith('.ts')))('the fault "%s" is played', (part) => {
    expect(SCENARIOS.filter(({ name }) => name.includes(part))).toHaveLength(1);
  });

  it.each(SCENARIOS.map(({ name }) => name))('"%s" stands behind a row', (name) => {
    expect(evidence.some((part) => name.includes(part))).toBe(true);
  });
});
