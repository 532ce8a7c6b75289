import { BitLayout, layoutPresets, suggestLayout, type LayoutDemands } from 'nestjs-snowflake/core';
import { codeIn, MarkdownPage } from './markdown.js';

const readme = MarkdownPage.read('README.md');

describe('the table of presets', () => {
  const [, table] = readme.tablesUnder('Bit layout');

  it('says of every preset what it is', () => {
    const day = (date: Date): string => date.toISOString().slice(0, 10);
    const rows = Object.entries(layoutPresets).map(([name, preset]) => {
      const layout = new BitLayout(preset.layout, preset.epoch);
      const [timestamp, ...lower] = layout.fields;
      return [
        name,
        `${timestamp?.bits} bits of ${layout.tickMs} ms`,
        day(new Date(layout.epochMs)),
        day(layout.expiresAt),
        lower.map((field) => `${field.bits} ${field.name}`).join(', '),
      ];
    });
    // What a field is called elsewhere stands in brackets, what a layout is good for after a colon.
    const said = table?.rows.map(([name = '', timestamp, since, until, lower = '']) => [
      codeIn(name)[0],
      timestamp,
      since,
      until,
      lower.replace(/ \([^)]*\)|:.*/g, ''),
    ]);
    expect(said).toEqual(rows);
  });
});

describe('the call of suggestLayout', () => {
  it('is one that it accepts, with spare bits in equal parts', () => {
    const [, code = ''] = /`suggestLayout\((\{[^`]*\})\)`/.exec(readme.prose) ?? [];
    const demands = JSON.parse(code.replaceAll(/(\w+):/g, '"$1":')) as LayoutDemands;
    const { spareBitsOf, explanation } = suggestLayout(demands);
    expect(new Set(Object.values(spareBitsOf)).size).toBe(1);
    expect(explanation).toContain(`${demands.years} years`);
  });
});
