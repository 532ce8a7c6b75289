import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BitLayout, IdDecoder } from 'nestjs-snowflake/core';
import { keeperSettings } from '../../libs/snowflake/src/lease/index.js';
import { MarkdownPage, ROOT } from './markdown.js';

const layout = new BitLayout();
const lease = keeperSettings(layout, {});
const ASSETS = join(ROOT, 'docs/assets');
const picture = (name: string): string => readFileSync(join(ASSETS, name), 'utf8');

/** The prose of a page on one line, without the markup of links. */
const textOf = (path: string): string =>
  MarkdownPage.read(path)
    .prose.replaceAll(/\[|\]\([^)]*\)/g, '')
    .replaceAll(/\s+/g, ' ');

describe('the picture of an ID', () => {
  const svg = picture('id.svg');
  const field = (name: string): string => new RegExp(`data-field="${name}">(\\d+)<`).exec(svg)?.[1] ?? '';
  const id = field('id');

  it('shows the bits of the ID, divided as the default layout divides them', () => {
    const bits = ['sign', 'timestamp', 'worker', 'sequence'].map(field);
    expect(BigInt(`0b${bits.join('')}`)).toBe(BigInt(id));
    expect(bits[0]).toBe('0');
    expect(layout.fields.map(({ name, bits: length }) => [name, length])).toEqual([
      ['timestamp', bits[1]?.length],
      ['worker', bits[2]?.length],
      ['sequence', bits[3]?.length],
    ]);
  });

  it('says what the ID says', () => {
    const decoded = new IdDecoder(layout).decode(id);
    const epoch = new Date(layout.epochMs).toISOString().slice(0, 10);
    for (const text of [
      `= ${decoded.tick} ms after ${epoch}<`,
      `= ${decoded.timestamp.toISOString()}<`,
      `= ${decoded.workerId}, leased by one process<`,
      `= ${decoded.sequence}: third ID of its millisecond<`,
      ...layout.fields.map(({ bits }) => `, ${bits} bits<`),
    ]) {
      expect(svg).toContain(text);
    }
  });
});

describe('the pictures', () => {
  const names = readdirSync(ASSETS).filter((name) => name.endsWith('.svg'));

  it('of the docs are all there', () => {
    expect(names).toEqual(
      expect.arrayContaining([
        'clock-rollback.svg',
        'failover.svg',
        'id.svg',
        'outage.svg',
        'two-leases.svg',
        'window-lease.svg',
      ]),
    );
  });

  it.each(names)('%s has a title, a description and a dark theme, and loads nothing', (name) => {
    const svg = picture(name);
    expect(svg).toMatch(/<title id="title">[^<]{10,}<\/title>/);
    expect(svg).toMatch(/<desc id="desc">[^<]{40,}<\/desc>/);
    expect(svg).toContain('role="img" aria-labelledby="title desc"');
    expect(svg).toContain('prefers-color-scheme: dark');
    expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(
      /https?:|url\(|@import|@font-face|<script/,
    );
  });

  it.each([
    [
      'window-lease.svg',
      `a window of ${lease.windowMs / 1000} s, renewed every ${lease.renewEveryMs / 1000} s`,
    ],
    ['outage.svg', `${((lease.reserveMs / layout.tickMs) * layout.idsPerTick).toLocaleString('en')} IDs`],
    ['outage.svg', `>${(lease.windowMs - lease.reserveMs) / 1000} s<`],
    [
      'outage.svg',
      `${unnoticedMs() / 1000} to ${(lease.windowMs - lease.reserveMs) / 1000} s pass unnoticed`,
    ],
    ['failover.svg', `${(lease.windowMs + lease.maxSkewMs) / 1000} s = windowMs + maxSkewMs`],
  ])('%s says what the defaults are: %s', (name, text) => {
    expect(picture(name)).toContain(text);
  });
});

describe('the figures', () => {
  const seconds = (ms: number): string => `${ms / 1000} s`;
  const count = (value: number): string => value.toLocaleString('en');
  const lastDay = layout.expiresAt.toISOString().slice(0, 10);
  const reserve = count((lease.reserveMs / layout.tickMs) * layout.idsPerTick);
  const wait = seconds(lease.windowMs + lease.maxSkewMs);
  const readme = 'README.md';
  const howItWorks = 'docs/explanation/how-it-works.md';
  const decisions = 'docs/explanation/design-decisions.md';
  const rollback = 'docs/explanation/clock-rollback.md';

  it.each([
    [readme, 'the room', `${count(layout.maxWorkerId + 1)} processes at a time can make`],
    [readme, 'the room', `${count(layout.idsPerTick)} IDs per millisecond each, until ${lastDay}`],
    [readme, 'the first start', `first start in production waits ${wait}`],
    [readme, 'a loss', `boots up to ${wait} later`],
    [readme, 'an outage that nobody notices', `Nothing for ${seconds(unnoticedMs())} or more`],
    [readme, 'the reserve', `after ${reserve} IDs per process`],
    [readme, 'a dead process', `until its window ends, ${seconds(lease.windowMs)} at most`],
    [readme, 'a missing shutdown hook', `stays taken for up to ${seconds(lease.windowMs)}`],
    [readme, 'the skew', `clocks within ${seconds(lease.maxSkewMs)}`],
    [readme, 'a renewal', `sends every ${lease.renewEveryMs / 1000} seconds`],
    [howItWorks, 'the window', `By default a window ends ${seconds(lease.windowMs)} after`],
    [howItWorks, 'a renewal', `renews the lease every ${seconds(lease.renewEveryMs)}`],
    [howItWorks, 'the reserve', `last ${seconds(lease.reserveMs)} of the window are a reserve`],
    [howItWorks, 'an outage that nobody notices', `has no effect for at least ${seconds(unnoticedMs())}`],
    [howItWorks, 'the reserve in IDs', `The reserve holds ${reserve} IDs`],
    [howItWorks, 'the skew', `by more than ${seconds(lease.maxSkewMs)} (\`maxSkewMs\`)`],
    [howItWorks, 'a clock ahead', `at most ${seconds(lease.windowMs - lease.reserveMs)} ahead`],
    [howItWorks, 'a loss', `no new lease for ${wait} (\`windowMs + maxSkewMs\`)`],
    [howItWorks, 'a crash', `until its window ends, ${seconds(lease.windowMs)} at most`],
    [howItWorks, 'the sequence', `from 0 to ${count(layout.idsPerTick - 1)}`],
    [decisions, 'an outage that nobody notices', `has no effect for at least ${seconds(unnoticedMs())}`],
    [decisions, 'the first start', `${wait} at the first start`],
    [rollback, 'the correction', `which explains the ${lease.renewEveryMs / 1000} seconds`],
  ])('%s: %s', (page, _what, text) => {
    expect(textOf(page)).toContain(text);
  });

  it('the versions of the peers', () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'libs/snowflake/package.json'), 'utf8')) as {
      readonly engines: { readonly node: string };
      readonly peerDependencies: Record<string, string>;
    };
    expect(manifest.peerDependencies).toMatchObject({
      '@nestjs/common': '^11.0.0 || ^12.0.0',
      typeorm: '^0.3.20 || ^1.0.0',
      ioredis: '^5.4.1 || ^6.0.0',
    });
    expect(textOf(readme)).toContain(
      `Node \`${manifest.engines.node}\` with Nest 11 or 12, TypeORM 0.3.20 or later (optional), ioredis 5.4.1 or later`,
    );
  });
});

/** How long an outage can last without anybody noticing: it may begin just before a late renewal. */
function unnoticedMs(): number {
  return lease.windowMs - lease.reserveMs - lease.renewEveryMs * 1.1;
}
