import { BitLayout } from 'nestjs-snowflake/core';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './markdown.js';
import { PageCode, testThatAllHaveRun } from './page-code.js';

const page = new PageCode('docs/operations/upgrading.md');
const DAY_MS = 86_400_000;

type IsAbove = (next: BitLayout, old: BitLayout, lastStop: Date) => boolean;

describe('the check of a new layout', () => {
  const old = new BitLayout();
  const epoch = (ms: number): BitLayout => new BitLayout({}, new Date(old.epochMs - ms));

  it('the check passes for the layouts of the page', async () => {
    const isAbove = await page.run<IsAbove>('check-layouts.ts', 'isAbove');
    expect(await page.run<boolean>('check-layouts.ts', 'safe')).toBe(true);
    expect(isAbove(epoch(2 * DAY_MS), old, new Date())).toBe(true);
    expect(isAbove(new BitLayout({ workerBits: 10, sequenceBits: 13 }), old, new Date())).toBe(true);
  });

  it('the check fails for a layout that is above the IDs of this moment and no more', async () => {
    const isAbove = await page.run<IsAbove>('check-layouts.ts', 'isAbove');
    expect(isAbove(epoch(1000), old, new Date())).toBe(false);
    expect(isAbove(epoch(2 * DAY_MS), old, new Date(Date.now() + 2 * DAY_MS))).toBe(false);
  });
});

describe('the table of compatibility', () => {
  const { engines, peerDependencies: peers } = JSON.parse(
    readFileSync(join(ROOT, 'libs/snowflake/package.json'), 'utf8'),
  ) as { engines: { node: string }; peerDependencies: Record<string, string> };

  it.each([
    ['Node.js', engines.node],
    ['NestJS', peers['@nestjs/core']],
    ['TypeORM', peers['typeorm']],
    ['PostgreSQL', peers['pg']],
    ['MariaDB', peers['mysql2']],
    ['MySQL', peers['mysql2']],
  ])('names for %s the oldest versions of %s', (name, range = '') => {
    const [, supported = ''] = page.page.rowsUnder('Compatibility').find(([first]) => first === name)!;
    // As people write them: 24 for 24.0.0.
    const oldest = [...range.matchAll(/\d[\d.]*/g)].map(([version]) => version.replace(/(\.0)+$/, ''));
    expect(oldest.length).toBeGreaterThan(0);
    for (const version of oldest) expect(supported).toContain(version);
  });
});

testThatAllHaveRun(page);
