import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BitLayout, IdDecoder } from 'nestjs-snowflake/core';
import { ROOT } from './markdown.js';

const layout = new BitLayout();
const picture = (path: string): string => readFileSync(join(ROOT, 'docs', path), 'utf8');

describe('the picture of an ID', () => {
  const svg = picture('assets/id.svg');
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

  it('prints the fields of the ID beside its bits', () => {
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
  const paths = ['assets', 'bench'].flatMap((folder) =>
    readdirSync(join(ROOT, 'docs', folder)).map((name) => `${folder}/${name}`),
  );
  const pictures = paths.filter((path) => path.endsWith('.svg'));

  it.each(pictures)('%s has a title, a description and a dark theme, and loads nothing', (path) => {
    const svg = picture(path);
    expect(svg).toMatch(/<title id="title">[^<]{10,}<\/title>/);
    expect(svg).toMatch(/<desc id="desc">[^<]{40,}<\/desc>/);
    expect(svg).toContain('role="img" aria-labelledby="title desc"');
    expect(svg).toContain('prefers-color-scheme: dark');
    const withoutNamespaces = svg.replaceAll(/xmlns(:\w+)?="[^"]*"/g, '');
    expect(withoutNamespaces).not.toMatch(/https?:|url\(|@import|@font-face|<script/);
  });
});
