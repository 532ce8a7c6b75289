import fc from 'fast-check';
import { runs } from '../../../../test/support/runs.js';
import { InvalidOptionError } from 'nestjs-snowflake/core';
import { SeriesExhaustedError } from './series-errors.js';
import { SeriesDefinition } from './series-definition.js';
import type { SeriesOptions } from './series-options.js';
import type { SeriesReset } from './period.js';

function series(options: Partial<SeriesOptions>): SeriesDefinition {
  return new SeriesDefinition({
    format: 'INV-{year}-{number:5}',
    resets: 'year',
    zone: 'Europe/Berlin',
    ...options,
  });
}

function text(options: Partial<SeriesOptions>, number = 42, scope = 'acme', fields = {}): string {
  const definition = series(options);
  return definition.write({ date: definition.dateOf('date', '2026-02-07'), number, scope, fields });
}

describe('a format', () => {
  it.each<[string, string]>([
    ['INV-{year}-{number:5}', 'INV-2026-00042'],
    ['{year:2}{month}{day}/{number:3}', '260207/042'],
    ['{number}.{quarter}.{year}', '42.1.2026'],
    ['{year}-{weekyear}W{week}-{number:2}', '2026-2026W06-42'],
    ['{scope}-{year}-{number:4}', 'acme-2026-0042'],
    ['{field:branch}/{year}/{number:1}', 'B7/2026/42'],
    ['{{{year}}}#{number}', '{2026}#42'],
    ['Rechnung Nº {year}–{number:5}', 'Rechnung Nº 2026–00042'],
  ])('writes a number by the format %s as %s', (format, made) =>
    expect(text({ format }, 42, 'acme', { branch: 'B7' })).toBe(made),
  );

  it('names both years of a fiscal year', () => {
    const format = '{fiscalyear}-{fiscalend:2}/{number:4}';
    expect(text({ format, resets: 'fiscal', fiscalYearStart: '04-01' })).toBe('2025-26/0042');
  });

  it('lets the number grow beyond its width', () => expect(text({}, 1_234_567)).toBe('INV-2026-1234567'));

  it('takes a field that is a number', () =>
    expect(text({ format: '{field:branch}-{year}-{number}' }, 1, '', { branch: 12 })).toBe('12-2026-1'));
});

describe('a format is refused', () => {
  const refusal = (options: Partial<SeriesOptions>): string => {
    try {
      series(options);
    } catch (error) {
      if (error instanceof InvalidOptionError) return error.message;
      throw error;
    }
    return 'accepted';
  };

  it.each<[string, RegExp]>([
    ['INV-{year}', /must have \{number\} exactly once/],
    ['{number}-{year}-{number}', /must have \{number\} exactly once/],
    ['', /must be a string with tokens/],
    ['{yyyy}-{number}', /unknown token \{yyyy\}/],
    ['{year:3}-{number}', /unknown token \{year:3\}/],
    ['{year}-{number:0}', /unknown token/],
    ['{year}-{number:16}', /unknown token/],
    ['{year}-{number:5:5}', /unknown token/],
    ['{year}-{field}-{number}', /unknown token/],
    ['{year}-{number', /has an unpaired \{/],
    ['{year}-number}', /has an unpaired \}/],
    ['a\n{year}-{number}', /has the character "\\n"/],
    ['{scope}{number}-{year}', /two numbers the same text/],
    ['{year}-{field:a}-{number}-{field:b}', /two numbers the same text/],
    ['{year}-{number}{scope}', /two numbers the same text/],
    ['{scope}1{number}-{year}', /two numbers the same text/],
    ['{scope}{year}{field:a}-{number}', /does not show each period/],
  ])('writes a number of the format %s', (format, message) => expect(refusal({ format })).toMatch(message));

  it.each<[SeriesReset, string, string]>([
    ['year', '{number}', '{year}'],
    ['year', '{month}-{number}', '{year}'],
    ['month', '{year}-{number}', '{month}'],
    ['quarter', '{year}-{day}-{number}', '{quarter} or {month}'],
    ['day', '{year}-{month}-{number}', '{day}'],
    ['fiscal', '{year}-{number}', '{fiscalyear} or {fiscalend}'],
  ])('refuses a format that resets %s and is %s', (resets, format, missing) =>
    expect(refusal({ resets, format, fiscalYearStart: '04-01' })).toContain(`Add ${missing} `),
  );

  it('refuses a format that has a fiscal year without a first day', () =>
    expect(refusal({ resets: 'never', format: '{fiscalyear}-{number}' })).toMatch(
      /^fiscalYearStart is missing/,
    ));

  it('refuses a format that can be longer than maxLength', () => {
    expect(refusal({ maxLength: 14 })).toBe('accepted');
    expect(refusal({ maxLength: 13 })).toMatch(/can have 14 characters, more than maxLength \(13\)/);
  });

  it('refuses a format if the length of a scope or field is unknown beside maxLength', () => {
    expect(refusal({ format: '{scope}-{year}-{number}', maxLength: 16 })).toMatch(/\{scope:8\}/);
    expect(refusal({ format: '{field:a}-{year}-{number}', maxLength: 16 })).toMatch(/\{field:a:8\}/);
    expect(refusal({ format: '{scope:4}-{year}-{number:6}', maxLength: 16 })).toBe('accepted');
    expect(refusal({ format: '{scope:5}-{year}-{number:6}', maxLength: 16 })).toMatch(/17 characters/);
  });

  it('refuses a format if a character is outside of charset', () => {
    expect(refusal({ charset: 'A-Z0-9-' })).toBe('accepted');
    expect(refusal({ charset: 'A-Z0-9/' })).toMatch(/has the character "-"/);
    expect(refusal({ charset: 'A-Z1-9-' })).toMatch(/has the character "0"/);
    expect(refusal({ charset: 'Z-A' })).toMatch(/empty range Z-A/);
    expect(refusal({ charset: '' })).toMatch(/^charset is empty/);
  });

  it('refuses a series if an option is unknown, or missing', () => {
    expect(refusal({ reset: 'year' } as object)).toMatch(/Did you mean "resets"/);
    expect(refusal({ resets: undefined })).toMatch(/^resets is not a valid choice/);
  });
});

describe('a number is refused', () => {
  const india: Partial<SeriesOptions> = {
    format: '{scope:4}/{year}/{number:5}',
    maxLength: 16,
    charset: 'A-Za-z0-9/-',
  };

  it('refuses a number that is longer than maxLength', () => {
    expect(text(india, 99_999)).toBe('acme/2026/99999');
    expect(text(india, 999_999)).toBe('acme/2026/999999');
    expect(() => text(india, 1_000_000)).toThrow(SeriesExhaustedError);
  });

  it('refuses a number if its scope is too long, empty or has other characters', () => {
    expect(() => text(india, 1, 'acmes')).toThrow(/^scope is longer than 4 characters/);
    expect(() => text(india, 1, '')).toThrow(/^scope is used in the format/);
    expect(() => text(india, 1, 'a_b')).toThrow(/^scope has the character "_"/);
  });

  it('refuses a number if a field is missing', () =>
    expect(() => text({ format: '{field:branch}-{year}-{number}' })).toThrow(/^fields.branch /));
});

describe('the numbers of a format that was accepted [promise: series]', () => {
  const piece = fc.constantFrom(
    '{year}',
    '{month}',
    '{day}',
    '{scope}',
    '{field:a}',
    '{field:b}',
    '-',
    '1',
    'A',
    '{year:2}',
    '{quarter}',
  );
  const format = fc
    .tuple(
      fc.array(piece, { maxLength: 5 }),
      fc.array(piece, { maxLength: 5 }),
      fc.constantFrom('{number}', '{number:3}'),
    )
    .map(([before, after, number]) => [...before, number, ...after].join(''));
  const resets = fc.constantFrom<SeriesReset>('never', 'year', 'quarter', 'month', 'day');
  const part = fc.stringMatching(/^[1-3A-]{1,4}$/);
  const numbered = fc.record({
    date: fc.constantFrom('2025-12-31', '2026-01-01', '2026-01-11', '2026-11-01', '2026-12-12', '2011-02-01'),
    number: fc.integer({ min: 1, max: 3_000 }),
    fields: fc.record({ a: part, b: part }),
  });

  it('makes no two equal texts within a scope, whatever the fields are', () =>
    fc.assert(
      fc.property(
        format,
        resets,
        part,
        fc.array(numbered, { minLength: 20, maxLength: 20 }),
        (given, reset, scope, documents) => {
          let definition: SeriesDefinition;
          try {
            definition = series({ format: given, resets: reset });
          } catch {
            return;
          }
          const made = new Map<string, string>();
          for (const { date: day, number, fields } of documents) {
            const date = definition.dateOf('date', day);
            const key = `${definition.periodOf(date)}#${number}`;
            const known = made.get(definition.write({ date, number, scope, fields }));
            expect(known ?? key).toBe(key);
            made.set(definition.write({ date, number, scope, fields }), key);
          }
        },
      ),
      { numRuns: runs(5_000) },
    ));
});
