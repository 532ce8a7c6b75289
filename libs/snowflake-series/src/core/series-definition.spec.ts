import fc from 'fast-check';
import { InvalidOptionError } from 'nestjs-snowflake/core';
import { runs } from '../../../../test/support/runs.js';
import { writeDate } from './civil-date.js';
import type { SeriesReset } from './period.js';
import { SeriesDefinition } from './series-definition.js';
import { SeriesExhaustedError } from './series-errors.js';
import type { SeriesOptions } from './series-options.js';

function invoices(options: Partial<SeriesOptions>): SeriesDefinition {
  return new SeriesDefinition({
    format: 'INV-{year}-{number:5}',
    resets: 'year',
    zone: 'Europe/Berlin',
    ...options,
  });
}

function text(options: Partial<SeriesOptions>, number = 42, scope = 'acme', fields = {}): string {
  const definition = invoices(options);
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
      invoices(options);
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
            definition = invoices({ format: given, resets: reset });
          } catch {
            return;
          }
          const made = new Map<string, string>();
          for (const { date: day, number, fields } of documents) {
            const date = definition.dateOf('date', day);
            const key = `${definition.periodOf(date)}#${number}`;
            const written = definition.write({ date, number, scope, fields });
            expect(made.get(written) ?? key).toBe(key);
            made.set(written, key);
          }
        },
      ),
      { numRuns: runs(5_000) },
    ));
});

const DAY_MS = 86_400_000;
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Havana',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Auckland',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'Africa/Casablanca',
];

function series(options: Partial<SeriesOptions>): SeriesDefinition {
  return new SeriesDefinition({
    format: '{year}-{month}-{day}-{number}',
    resets: 'day',
    zone: 'UTC',
    ...options,
  });
}

const inZones = new Map(ZONES.map((zone) => [zone, series({ zone })]));
const inZone = (zone: string): SeriesDefinition => inZones.get(zone) ?? series({ zone });
const dateIn = (zone: string, instant: string): string => writeDate(inZone(zone).dateOf('date', instant));
const format = '{fiscalyear}-{year}-{month}-{day}-{number}';
const resetting = new Map(
  (['year', 'fiscal', 'quarter', 'month', 'day', 'never'] as const).map((resets) => [
    resets as SeriesReset,
    series({ format, resets, fiscalYearStart: '04-01' }),
  ]),
);
const periodOf = (resets: SeriesReset, date: string): string => {
  const definition = resetting.get(resets);
  if (!definition) throw new Error(resets);
  return definition.periodOf(definition.dateOf('date', date));
};

describe('the date of a document', () => {
  it.each([
    ['Europe/Berlin', '2025-12-31T22:59:59.999Z', '2025-12-31'],
    ['Europe/Berlin', '2025-12-31T23:00:00.000Z', '2026-01-01'],
    ['America/New_York', '2026-01-01T04:59:59.999Z', '2025-12-31'],
    ['America/New_York', '2026-01-01T05:00:00Z', '2026-01-01'],
    ['Asia/Kolkata', '2026-03-31T18:29:59Z', '2026-03-31'],
    ['Asia/Kolkata', '2026-03-31T18:30:00Z', '2026-04-01'],
    ['Pacific/Kiritimati', '2025-12-31T10:00:00Z', '2026-01-01'],
    ['Pacific/Pago_Pago', '2026-01-01T10:59:59Z', '2025-12-31'],
    ['UTC', '2026-01-01T00:30:00+01:00', '2025-12-31'],
    // Clocks go back from 01:00 to 00:00, and on a Sunday in spring from 24:00 to 01:00.
    ['America/Havana', '2026-11-01T04:30:00Z', '2026-11-01'],
    ['America/Havana', '2026-11-01T05:30:00Z', '2026-11-01'],
    ['America/Havana', '2026-03-08T04:59:59Z', '2026-03-07'],
    ['America/Havana', '2026-03-08T05:00:00Z', '2026-03-08'],
    // Summer time of half an hour.
    ['Australia/Lord_Howe', '2025-12-31T12:59:59Z', '2025-12-31'],
    ['Australia/Lord_Howe', '2025-12-31T13:00:00Z', '2026-01-01'],
    // The day that Samoa skipped.
    ['Pacific/Apia', '2011-12-30T09:59:59Z', '2011-12-29'],
    ['Pacific/Apia', '2011-12-30T10:00:00Z', '2011-12-31'],
  ])('finds the date in %s at %s, which is %s', (zone, instant, date) =>
    expect(dateIn(zone, instant)).toBe(date),
  );

  it('reads a written date as that date in every zone', () =>
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        fc.date({ min: new Date('1970-01-02'), max: new Date('2999-12-30'), noInvalidDate: true }),
        (zone, date) => {
          const written = date.toISOString().slice(0, 10);
          expect(dateIn(zone, written)).toBe(written);
        },
      ),
      { numRuns: runs(2_000) },
    ));

  it('finds a date within a day of that in UTC, which moves on by one day in 24 hours, but for an hour of summer time', () =>
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        // Kiritimati moved across the date line, and left out the last day of 1994.
        fc.integer({ min: Date.parse('1995-01-02'), max: Date.parse('2100-01-01') }),
        (zone, instantMs) => {
          const dayOf = (ms: number): number => Date.parse(writeDate(inZone(zone).dateAt(ms))) / DAY_MS;
          const utcDay = Math.floor(instantMs / DAY_MS);
          expect(Math.abs(dayOf(instantMs) - utcDay)).toBeLessThanOrEqual(1);
          expect([1, 2]).toContain(dayOf(instantMs + DAY_MS + 3_600_000) - dayOf(instantMs));
          expect([0, 1]).toContain(dayOf(instantMs + DAY_MS - 3_600_000) - dayOf(instantMs));
        },
      ),
      { numRuns: runs(2_000) },
    ));

  it.each([
    new Date(NaN),
    '2026-02-30',
    '2026-12-31T23:30',
    'yesterday',
    '0999-01-01',
    5,
    null,
    '2026-13-01',
    '2026-02-30T00:00:00Z',
    '2026-06-31T10:00:00+02:00',
    '2025-02-29T12:00Z',
  ])('refuses the date %o', (given) =>
    expect(() => series({}).dateOf('date', given)).toThrow(
      expect.objectContaining({
        code: 'SNOWFLAKE_INVALID_DATE',
        message: expect.stringMatching(/^date is (not|neither) /),
      }),
    ),
  );
});

describe('the period of a document', () => {
  it.each<[SeriesReset, string, string]>([
    ['never', '2026-11-23', 'all'],
    ['year', '2026-01-01', '2026'],
    ['quarter', '2026-03-31', '2026-Q1'],
    ['quarter', '2026-10-01', '2026-Q4'],
    ['month', '2026-02-28', '2026-02'],
    ['day', '2026-11-23', '2026-11-23'],
    ['fiscal', '2026-03-31', 'FY2025'],
    ['fiscal', '2026-04-01', 'FY2026'],
    ['fiscal', '2027-03-31', 'FY2026'],
  ])('finds the period that resets %s and has the date %s, which is %s', (resets, date, period) =>
    expect(periodOf(resets, date)).toBe(period),
  );

  it('equates fiscal and calendar year if the fiscal year begins on January 1', () => {
    const definition = series({
      format: '{fiscalyear}/{fiscalend}-{number}',
      resets: 'fiscal',
      fiscalYearStart: '01-01',
    });
    const date = definition.dateOf('date', '2026-12-31');
    expect(definition.write({ date, number: 7, scope: '', fields: {} })).toBe('2026/2026-7');
  });

  it('never returns to an earlier period', () =>
    fc.assert(
      fc.property(
        fc.constantFrom<SeriesReset>('year', 'fiscal', 'quarter', 'month', 'day'),
        fc.array(fc.date({ min: new Date('1970-01-02'), max: new Date('2999-12-30'), noInvalidDate: true }), {
          minLength: 3,
        }),
        (resets, dates) => {
          const sorted = dates.map((date) => date.toISOString().slice(0, 10)).toSorted();
          const periods = sorted.map((date) => periodOf(resets, date));
          const changes = periods.filter((period, index) => period !== periods[index - 1]);
          expect(new Set(changes).size).toBe(changes.length);
        },
      ),
      { numRuns: runs(1_000) },
    ));
});

describe('the week of a document', () => {
  it.each([
    ['2024-12-30', '2025-W01'],
    ['2021-01-03', '2020-W53'],
    ['2026-01-01', '2026-W01'],
    ['2026-12-31', '2026-W53'],
    ['2027-01-03', '2026-W53'],
    ['2027-01-04', '2027-W01'],
    ['2000-01-01', '1999-W52'],
  ])('finds the week of %s, which is %s', (day, week) => {
    const definition = series({ format: '{weekyear}-W{week} {number}', resets: 'never' });
    const date = definition.dateOf('date', day);
    expect(definition.write({ date, number: 1, scope: '', fields: {} })).toBe(`${week} 1`);
  });

  const weekly = series({ format: '{weekyear}{week}-{number}', resets: 'never' });

  it('counts seven days from Monday on in a week of any year', () =>
    fc.assert(
      fc.property(fc.integer({ min: -10_000, max: 300_000 }), (weekNumber) => {
        // 1970-01-05 was a Monday.
        const days = Array.from({ length: 8 }, (_, day) => (weekNumber * 7 + 4 + day) * DAY_MS);
        const texts = days.map((ms) =>
          weekly.write({ date: weekly.dateAt(ms), number: 1, scope: '', fields: {} }),
        );
        expect(new Set(texts.slice(0, 7)).size).toBe(1);
        expect(texts[7]).not.toBe(texts[0]);
      }),
      { numRuns: runs(2_000) },
    ));
});

describe('the rules of a series', () => {
  it.each(['Berlin', '+01:00', 'Europe/Nowhere', 'GMT+1', '', undefined, 'local'])(
    'refuses the zone %o',
    (zone) => expect(() => series({ zone: zone as string })).toThrow(/^zone is not an IANA time zone/),
  );

  it.each(['02-29', '4-1', '13-01', 'April', 1])(
    'refuses the fiscal year that begins on %o',
    (fiscalYearStart) =>
      expect(() => series({ fiscalYearStart: fiscalYearStart as string })).toThrow(
        /^fiscalYearStart is not a day /,
      ),
  );
});
