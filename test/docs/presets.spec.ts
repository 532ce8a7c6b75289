import { BitLayout, layoutPresets, type LayoutSuggestion } from 'nestjs-snowflake/core';
import { codeIn, MarkdownPage } from './markdown.js';
import { PageCode, testThatAllHaveRun } from './page-code.js';

const code = new PageCode('docs/reference/layouts.md');
const { page } = code;
const day = (date: Date): string => date.toISOString().slice(0, 10);

describe('the table of presets', () => {
  it('has the fields, the epoch and the end of every preset', () => {
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
    // In brackets: the name of a field elsewhere. After a colon: the use of a layout.
    const listed = page
      .rowsUnder('Presets')
      .map(([name = '', timestamp, since, until, lower = '']) => [
        codeIn(name)[0],
        timestamp,
        since,
        until,
        lower.replace(/ \([^)]*\)|:.*/g, ''),
      ]);
    expect(listed).toEqual(rows);
  });
});

it('the table of the default layout has its fields and its end', () => {
  const layout = new BitLayout();
  const count = (value: number): string => value.toLocaleString('en');
  const meanings = {
    timestamp: `milliseconds since ${day(new Date(layout.epochMs))}, until ${day(layout.expiresAt)}`,
    worker: `${count(layout.maxWorkerId + 1)} worker IDs`,
    sequence: `${count(layout.idsPerTick)} IDs per worker ID and millisecond`,
  };
  expect(page.rowsUnder('The default layout')).toEqual(
    layout.fields.map(({ name, bits }) => [name, String(bits), meanings[name as keyof typeof meanings]]),
  );
});

describe('the call of suggestLayout', () => {
  it('suggestLayout() explains what the command line prints, with spare bits in equal parts', async () => {
    const suggestion = await code.run<LayoutSuggestion>('layout.ts', 'suggestion');
    const { spareBitsOf, explanation, layout, epoch } = suggestion;
    expect(new Set(Object.values(spareBitsOf)).size).toBe(1);
    const printed = MarkdownPage.read('docs/reference/cli.md').blocksIn('console');
    expect(printed.some(({ text }) => text.endsWith(`${explanation}\n`))).toBe(true);
    expect(new BitLayout(layout, epoch).expiresAt).toEqual(suggestion.expiresAt);
  });

  testThatAllHaveRun(code);
});
