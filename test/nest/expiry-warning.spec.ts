import { SnowflakeIdMaker, SnowflakeModule, staticLeaseStore } from 'nestjs-snowflake';
import { BitLayout } from 'nestjs-snowflake/core';
import { Test } from '@nestjs/testing';
import { CapturedLogs } from './support/captured-logs.js';

const DAY_MS = 86_400_000;
/** Eight years, so that the epoch lies in the past whenever the layout ends. */
const LAYOUT = { timestampBits: 22, tickMs: 60_000, workerBits: 10, sequenceBits: 12 } as const;
const LIFETIME_MS = 2 ** LAYOUT.timestampBits * LAYOUT.tickMs;

/** Boots an app whose bit layout ends in so many days. @returns what it logs, and when it ends */
async function linesWhenLeft(days: number): Promise<{ lines: string[]; endsAt: Date }> {
  const epoch = Date.now() + days * DAY_MS - LIFETIME_MS;
  const logs = new CapturedLogs();
  const snowflake = SnowflakeModule.forRoot({
    store: staticLeaseStore({ workerId: 1 }),
    layout: LAYOUT,
    epoch,
    lease: { windowMs: 3_600_000, reserveMs: 600_000 },
  });
  const app = await Test.createTestingModule({ imports: [snowflake] })
    .setLogger(logs)
    .compile();
  const { expiresAt } = app.get(SnowflakeIdMaker).status();
  await app.close();
  expect(expiresAt).toEqual(new BitLayout(LAYOUT, epoch).expiresAt);
  return { lines: logs.lines.filter((line) => line.includes('ends at')), endsAt: expiresAt };
}

describe('the start of an app whose bit layout ends', () => {
  it.each([1, 30, 364])('in %i days warns of it, and says when', async (days) => {
    const { lines, endsAt } = await linesWhenLeft(days);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^warn: \[SnowflakeModule\] The bit layout ends at /);
    expect(lines[0]).toContain(endsAt.toISOString());
    expect(lines[0]).toContain('Plan the move to a later epoch, in a new namespace.');
  });

  it.each([367, 3 * 365])('in %i days says nothing of it yet', async (days) => {
    expect((await linesWhenLeft(days)).lines).toEqual([]);
  });
});
