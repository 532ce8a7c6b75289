import { Logger, type LoggerService } from '@nestjs/common';
import { docsUrl } from '../core/docs-url.js';
import { StoreUnavailableError } from '../core/errors/lease-errors.js';
import { BitLayout } from '../core/layout/bit-layout.js';
import type { LeaseEvent, LeaseListener } from '../lease/lease-event.js';
import type { SnowflakeIdMaker } from '../maker/snowflake-id-maker.js';
import { LeaseLogger } from './lease-logger.js';

const RUNBOOK = docsUrl('operations/store-unreachable');
const UNTIL = new Date('2030-01-01T00:01:00.000Z');
const RESERVE_MS = 10_000;
const error = new StoreUnavailableError('redis namespace "shop" is unavailable: connect ECONNREFUSED');

/** What is logged of an event. */
function lineOf(event: LeaseEvent, workerId?: number): string {
  const lines: string[] = [];
  const write = (line: unknown): void => void lines.push(String(line));
  Logger.overrideLogger({ log: write, warn: write, error: write } satisfies LoggerService);
  let notify: LeaseListener = () => undefined;
  const maker = {
    layout: new BitLayout(),
    status: () => ({
      store: 'redis namespace "shop"',
      workerId,
      leaseUntil: UNTIL,
      expiresAt: new Date('2093-09-06'),
    }),
    nowMs: () => UNTIL.getTime(),
    subscribe: (listener: LeaseListener) => (notify = listener),
  };
  new LeaseLogger('default', maker as unknown as SnowflakeIdMaker).start();
  notify(event);
  Logger.overrideLogger(false);
  expect(lines).toHaveLength(1);
  return lines[0]!;
}

describe('the log of an outage', () => {
  it('shows until when IDs keep the true time, how many follow, and where to read what to do', () => {
    const line = lineOf({
      type: 'renewal-failed',
      error,
      clockTimeUntilMs: UNTIL.getTime() - RESERVE_MS,
      untilMs: UNTIL.getTime(),
    });
    expect(line).toContain(error.message);
    const { idsPerTick, tickMs } = new BitLayout();
    const reserve = ((RESERVE_MS / tickMs) * idsPerTick).toLocaleString('en');
    const values = ['2030-01-01T00:00:50.000Z', reserve, '2030-01-01T00:01:00.000Z'];
    expect(line).toMatch(new RegExp(values.join('.*')));
    expect(line.endsWith(RUNBOOK)).toBe(true);
  });

  it('shows no times to a process that has no lease yet', () => {
    const line = lineOf({ type: 'renewal-failed', error });
    expect(line).toContain(error.message);
    expect(line).not.toMatch(/\d{4}-\d\d-\d\dT/);
    expect(line.endsWith(RUNBOOK)).toBe(true);
  });

  it.each(['empty', 'history'] as const)(
    'leads a running process to the runbook, if the wait is for: %s',
    (reason) => {
      const waiting = { type: 'waiting', reason, waitMs: 62_000 } as const;
      expect(lineOf(waiting, 17)).toMatch(/^Waiting for up to 62\.0 s for a lease: .* Don't restart it: /);
      expect(lineOf(waiting, 17).endsWith(RUNBOOK)).toBe(true);
      // A start may skip the wait, and a restart doesn't harm it.
      expect(lineOf(waiting)).toContain("lease.possibleLoss: 'ignore'");
    },
  );

  it.each(['degraded', 'exhausted'] as const)('leads from the state %s to the runbook', (to) => {
    expect(lineOf({ type: 'state', from: 'active', to }).endsWith(RUNBOOK)).toBe(true);
  });
});
