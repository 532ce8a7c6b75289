import type { LeaseEvent } from 'nestjs-snowflake';
import { loggedLines } from './logged-lines.js';
import { MarkdownPage } from './markdown.js';

const AT = new Date('2026-11-21T10:20:57.897Z');
const untilMs = AT.getTime();
const EVENTS: readonly LeaseEvent[] = [
  { type: 'acquired', workerId: 17, fromMs: 0, untilMs, cause: 'start' },
  { type: 'renewed', workerId: 17, untilMs, durationMs: 3 },
  { type: 'acquired', workerId: 18, fromMs: 0, untilMs, cause: 'switch', previousWorkerId: 17 },
];

const OUTAGE: readonly LeaseEvent[] = [
  { type: 'state', from: 'active', to: 'degraded' },
  { type: 'state', from: 'degraded', to: 'exhausted' },
];

/** What the logger of the library writes for these events, with the levels of Nest. A starting process has no worker ID. */
function written(events: readonly LeaseEvent[], workerId: number | undefined): string[] {
  const status = {
    store: 'redis namespace "shop"',
    workerId,
    leaseUntil: AT,
    expiresAt: new Date('2093-09-06'),
  };
  const lines = loggedLines('default', events, { status, nowMs: untilMs }).flat();
  return lines.map((line) =>
    line
      .replace(/^(\w+): \[SnowflakeModule\] /, (_, level: string) => `${level.toUpperCase()} `)
      // The address of a page, which messages show once the documentation is published.
      .replaceAll(/(?<=in the documentation): https:\S+$/g, '.'),
  );
}

/** The lines that a page shows, unwrapped. */
function shown(path: string): string[] {
  const text = MarkdownPage.read(path)
    .blocksIn('text')
    .map((block) => block.text.replaceAll(/\n {5}/g, ' '));
  return text.flatMap((block) => block.trimEnd().split('\n')).map((line) => line.replaceAll(/ {2,}/g, ' '));
}

describe('the log lines of the pages', () => {
  it.each([
    { path: 'docs/operations/monitoring.md', events: EVENTS, workerId: undefined },
    { path: 'docs/operations/store-unreachable.md', events: OUTAGE, workerId: 17 },
  ])('$path shows the lines that the library writes, in this order, and none for a renewal', (page) => {
    expect(shown(page.path)).toEqual(written(page.events, page.workerId));
  });
});
