import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BitLayout, IdDecoder } from 'nestjs-snowflake/core';
import { TRANSITIONS } from '../../libs/snowflake/src/lease/lease-machine.js';
import { ROOT } from './markdown.js';

const picture = (path: string): string => readFileSync(join(ROOT, 'docs', path), 'utf8');

describe('the picture of an ID', () => {
  const svg = picture('assets/id.svg');
  const field = (name: string): string => new RegExp(`data-field="${name}">(\\d+)<`).exec(svg)?.[1] ?? '';
  const layout = new BitLayout();

  it('shows the bits of the ID, divided as the default layout divides them', () => {
    const [sign, ...bits] = ['sign', 'timestamp', 'worker', 'sequence'].map(field);
    expect(BigInt(`0b${sign}${bits.join('')}`)).toBe(BigInt(field('id')));
    expect(sign).toBe('0');
    expect(layout.fields.map(({ bits: length }) => length)).toEqual(bits.map(({ length }) => length));
  });

  it('prints the fields of the ID next to its bits', () => {
    const { tick, timestamp, workerId, sequence } = new IdDecoder(layout).decode(field('id'));
    const figures = [...svg.matchAll(/>= (\S+?)[,:]?(?= |<)/g)].map(([, figure]) => figure);
    expect(figures).toEqual([tick, timestamp.toISOString(), workerId, sequence].map(String));
    for (const { bits } of layout.fields) expect(svg).toContain(`, ${bits} bits<`);
  });
});

describe('the picture of the lease machine', () => {
  const svg = picture('assets/lease-machine.svg');

  it('describes every transition, and no other', () => {
    const [, description = ''] = /<desc id="desc">\n([\s\S]*?)\n\s*<\/desc>/.exec(svg) ?? [];
    const transitions = TRANSITIONS.map(({ on, from, to }) => {
      const what = to === undefined ? 'keeps the phase' : `leads to ${to}`;
      return `In ${from.join(', ')}: ${on.join(' or ')} ${what}.`;
    });
    expect(description.split('\n').map((line) => line.trim())).toEqual([...new Set(transitions)]);
  });

  it('shows every phase, and every event that leads to another one', () => {
    const shown = [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].flatMap(([, text = '']) =>
      text.split(/,? /),
    );
    const changes = TRANSITIONS.filter(({ to }) => to !== undefined);
    const named = changes.flatMap(({ on, from, to }) => [...on, ...from, String(to)]);
    expect(named.filter((name) => !shown.includes(name))).toEqual([]);
  });
});

describe('the pictures', () => {
  const paths = ['assets', 'bench'].flatMap((folder) =>
    readdirSync(join(ROOT, 'docs', folder)).map((name) => `${folder}/${name}`),
  );

  it.each(paths.filter((path) => path.endsWith('.svg')))(
    '%s has a title, a description and a dark theme, and loads nothing',
    (path) => {
      const svg = picture(path);
      expect(svg).toMatch(/<title id="title">[^<]+<\/title>/);
      expect(svg).toMatch(/<desc id="desc">[^<]+<\/desc>/);
      expect(svg).toContain('role="img" aria-labelledby="title desc"');
      expect(svg).toContain('prefers-color-scheme: dark');
      const withoutNamespaces = svg.replaceAll(/xmlns(:\w+)?="[^"]*"/g, '');
      expect(withoutNamespaces).not.toMatch(/https?:|url\(|@import|@font-face|<script/);
    },
  );
});
