import { BitLayout } from 'nestjs-snowflake/core';
import { keeperSettings } from '../../libs/snowflake/src/lease/index.js';
import { leaseTiming } from '../../libs/snowflake/src/lease/lease-timing.js';
import { leastRights } from '../../libs/snowflake/src/stores/redis/registry-key.js';
import { MarkdownPage } from './markdown.js';

const layout = new BitLayout();
const lease = keeperSettings(layout, {});
const seconds = (ms: number): string => `${ms / 1000} s`;
const count = (value: number): string => value.toLocaleString('en');

const afterLoss = seconds(lease.windowMs + lease.maxSkewMs);
const unnoticed = seconds(lease.windowMs - lease.reserveMs - lease.renewEveryMs * 1.1);
const reserveTicks = lease.reserveMs / layout.tickMs;
const reserve = count(reserveTicks * layout.idsPerTick);
const patience = seconds(lease.acquireTimeoutMs);

const FIGURES: Readonly<Record<string, readonly string[]>> = {
  'docs/operations/failure-modes.md': [
    `Retries for ${patience}, then fails with \`AcquireTimeoutError\``,
    `Nothing for ${unnoticed} or more; then late timestamps`,
    `**Nothing changes** for ${unnoticed} or more`,
    `a reserve of ${reserve} IDs per process (${count(reserveTicks)} ticks of ${count(layout.idsPerTick)})`,
    `The last ${seconds(lease.reserveMs)} of the window`,
    `to renew its window, every ${seconds(lease.renewEveryMs)}`,
    `new ones wait up to ${afterLoss}`,
    `new processes boot up to ${afterLoss} later`,
    `Timestamps up to ${seconds(lease.windowMs - lease.reserveMs)} ahead until the next renewal`,
    `Waits ${patience} for a free one`,
    `Its worker ID stays taken for up to ${seconds(lease.windowMs)}`,
    'Timestamps up to 1 s ahead',
  ],
  'docs/operations/production-checklist.md': [
    `The default layout has ${count(layout.maxWorkerId + 1)} worker IDs (10 bits)`,
    `Of ${seconds(lease.windowMs)} at least ${unnoticed} pass with true timestamps`,
    `\`acquireTimeoutMs\` is ${patience} by default`,
    `the wait after a lost registry (${afterLoss})`,
    `min-replicas-max-lag ${lease.maxSkewMs / 1000}`,
    `need ${200 + 200 + 10} worker IDs`,
  ],
  'docs/operations/monitoring.md': [
    `go on for ${unnoticed} or more as if nothing had happened`,
    `\`acquiring\` for longer than ${afterLoss}`,
  ],
  'docs/operations/troubleshooting.md': [
    `within ${afterLoss}`,
    `**It fails after ${patience}.**`,
    `more than ${patience}`,
    `ahead by up to ${seconds(lease.windowMs - lease.reserveMs)}`,
  ],
  'docs/operations/upgrading.md': [`The first process there waits ${afterLoss}`],
  'docs/operations/restoring-a-backup.md': [`wait until ${afterLoss} (\`windowMs\` plus \`maxSkewMs\`)`],
  'docs/stores/redis.md': [
    `waits ${afterLoss} (\`windowMs\` plus \`maxSkewMs\`)`,
    `one short call per process every ${lease.renewEveryMs / 1000} seconds`,
    `within \`maxSkewMs\` (${seconds(lease.maxSkewMs)})`,
    `min-replicas-max-lag ${lease.maxSkewMs / 1000}`,
    '`callTimeoutMs` must be at least 1,400 and `maxSkewMs` at least 2,800',
    'A `windowMs` of 42,000 or more has such defaults',
    `ACL SETUSER snowflake on >password ${leastRights('shop')}\n`,
  ],
  'docs/stores/managed-redis.md': [`one window, ${afterLoss} by default`],
  'docs/stores/sql.md': [
    `one short transaction every ${lease.renewEveryMs / 1000} seconds`,
    `new processes wait ${afterLoss} (\`windowMs\` plus \`maxSkewMs\`)`,
  ],
  'docs/stores/local-window.md': [`at most ${seconds(lease.windowMs)} by default`],
};

/** The text of a page, without the padding of tables and the breaks of lines. */
const flat = (text: string): string => text.replaceAll(/ {2,}/g, ' ').replaceAll(/(?<=\S) ?\n ?(?=\S)/g, ' ');

describe.each(Object.entries(FIGURES))('the figures of %s', (path, figures) => {
  const page = MarkdownPage.read(path);

  it.each(figures)('%s', (figure) => {
    const text = figure.endsWith('\n') ? page.text : flat(page.text);
    expect(text).toContain(figure);
  });
});

describe('the figures for replicas', () => {
  it('are those of a window of 42 s, and a shorter one has others', () => {
    const timing = leaseTiming({ windowMs: 42_000 }, 1, 'wait');
    expect(timing.callTimeoutMs).toBe(1400);
    expect(timing.maxSkewMs).toBeGreaterThanOrEqual(2 * timing.callTimeoutMs);
    expect(leaseTiming({ windowMs: 41_999 }, 1, 'wait').callTimeoutMs).toBeLessThan(1400);
  });
});
