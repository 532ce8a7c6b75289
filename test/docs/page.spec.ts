import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BitLayout, IdDecoder } from 'nestjs-snowflake/core';
import { keeperSettings } from '../../libs/snowflake/src/lease/index.js';
import { leaseTiming } from '../../libs/snowflake/src/lease/lease-timing.js';
import { leastRights } from '../../libs/snowflake/src/stores/redis/registry-key.js';
import { codeIn, MarkdownPage, ROOT } from './markdown.js';

const readme = MarkdownPage.read('README.md');
const layout = new BitLayout();
const manifest = JSON.parse(readFileSync(join(ROOT, 'libs/snowflake/package.json'), 'utf8')) as {
  readonly engines: { readonly node: string };
  readonly peerDependencies: Record<string, string>;
};

describe('the picture of an ID', () => {
  const [picture] = readme.blocksIn('text').map(({ text }) => text);
  const [, id = '', sign, timestamp = '', worker = '', sequence = ''] =
    /^(\d+) .*\n\n(0) +([01]+) +([01]+) +([01]+)\n/.exec(picture ?? '') ?? [];

  it('shows the bits of the ID, divided as the default layout divides them', () => {
    expect(BigInt(`0b${sign}${timestamp}${worker}${sequence}`)).toBe(BigInt(id));
    expect(layout.fields.map(({ name, bits }) => [name, bits])).toEqual([
      ['timestamp', timestamp.length],
      ['worker', worker.length],
      ['sequence', sequence.length],
    ]);
  });

  it('says what the ID says', () => {
    const decoded = new IdDecoder(layout).decode(id);
    expect(picture).toContain(`= ${decoded.timestamp.toISOString()}`);
    expect(picture).toContain(
      `${decoded.tick} ms after ${new Date(layout.epochMs).toISOString().slice(0, 10)}`,
    );
    expect(picture).toMatch(new RegExp(`worker ID.*\\n.*10 bits.*\\n.*\\b${decoded.workerId}\\b`));
    expect(picture).toMatch(new RegExp(`sequence, 12 bits\\n.*\\b${decoded.sequence}: the third ID`));
  });
});

describe('the figures of the README', () => {
  const lease = keeperSettings(layout, {});
  const seconds = (ms: number): string => `${ms / 1000} s`;
  const count = (value: number): string => value.toLocaleString('en');
  const lastDay = layout.expiresAt.toISOString().slice(0, 10);

  it.each([
    ['what is left to a start under wait', `waits ${seconds(lease.windowMs + lease.maxSkewMs)}`],
    ['the patience of a start', `Tries again for ${seconds(lease.acquireTimeoutMs)} (\`acquireTimeoutMs\`)`],
    ['the patience when all is taken', `Waits ${seconds(lease.acquireTimeoutMs)} for one to become free`],
    [
      'the outage that nobody notices',
      `Nothing for ${seconds(lease.windowMs - lease.reserveMs - lease.renewEveryMs * 1.1)} or more`,
    ],
    ['the reserve', `${count((lease.reserveMs / layout.tickMs) * layout.idsPerTick)} per process`],
    ['a clock in the future', `timestamps up to ${seconds(lease.windowMs - lease.reserveMs)} ahead`],
    ['the longest hold of a dead process', `until its window ends, ${seconds(lease.windowMs)} at most`],
    ['the window', `(${lease.windowMs / 1000} seconds long, renewed every ${lease.renewEveryMs / 1000})`],
    ['the skew', `\`maxSkewMs\` (${lease.maxSkewMs / 1000} seconds)`],
    ['the skew in Redis', `min-replicas-max-lag ${lease.maxSkewMs / 1000}`],
    ['the time of a call for replicas', '`callTimeoutMs` must be 1,400 or more and'],
    ['the window for replicas', 'a `windowMs` of 42,000 or more has such defaults'],
    ['the processes', `${count(layout.maxWorkerId + 1)} processes at a time`],
    [
      'the IDs per millisecond',
      `${count(layout.idsPerTick)} IDs per process and millisecond, until ${lastDay}`,
    ],
    ['the end of the layout', `The default layout ends at ${lastDay}`],
    ['the versions of Node', `For Node \`${manifest.engines.node}\``],
    ['the rights in Redis', `ACL SETUSER snowflake on >secret ${leastRights('shop')}\n`],
  ])('%s', (_what, text) => {
    expect(readme.text.replaceAll(/ +/g, ' ')).toContain(text);
  });

  it('the window that replicas need', () => {
    const timing = leaseTiming({ windowMs: 42_000 }, 1, 'wait');
    expect(timing.callTimeoutMs).toBe(1400);
    expect(timing.maxSkewMs).toBeGreaterThanOrEqual(2 * timing.callTimeoutMs);
  });

  it('the versions of the peers', () => {
    expect(manifest.peerDependencies).toMatchObject({
      '@nestjs/common': '^11.0.0 || ^12.0.0',
      typeorm: '^0.3.20 || ^1.0.0',
      ioredis: '^5.4.1 || ^6.0.0',
    });
    expect(readme.prose).toMatch(
      /Nest 11 or 12, TypeORM 0\.3\.20 or later \(optional\), ioredis 5\.4\.1 or later/,
    );
  });
});

describe.each(['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'])('%s', (path) => {
  const page = MarkdownPage.read(path);

  it('has links that lead somewhere', () => {
    const dead = page.links.filter((target) =>
      target.startsWith('#')
        ? !page.anchors.includes(target.slice(1))
        : !isWebAddress(target) && !existsSync(join(ROOT, target)),
    );
    expect(dead).toEqual([]);
    expect(new Set(page.anchors).size).toBe(page.anchors.length);
  });

  it('names files that exist', () => {
    const files = codeIn(page.prose).filter((code) => /^(apps|libs|test|docs)\/[\w./-]+$/.test(code));
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it('says nothing of work that is left', () => {
    expect(page.text).not.toMatch(/\b(TODO|FIXME|coming soon)\b/i);
  });
});

function isWebAddress(target: string): boolean {
  return URL.canParse(target) && new URL(target).protocol === 'https:';
}
