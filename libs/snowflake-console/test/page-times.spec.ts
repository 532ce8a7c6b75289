import fc from 'fast-check';
import { BitLayout } from 'nestjs-snowflake/core';
import { timeOfId } from '../page/src/ids/time-of-id.js';
import { instantIn } from '../page/src/time/instant.js';
import { inputOf, momentFrom, type OffsetAt, offsetText, wallTime } from '../page/src/time/local-input.js';
import { hourRange, presetRange, type RangePreset } from '../page/src/time/range-presets.js';
import { rangeOutcome, type RangeProblem } from '../page/src/time/range-problem.js';

/** The offset of a zone in minutes, from what `Intl` shows. */
function offsetIn(zone: string): OffsetAt {
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  return (timeMs) => {
    const name = format.formatToParts(timeMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
  };
}

const newYork = offsetIn('America/New_York');
const instants = (input: string): string[] =>
  (wallTime(input, newYork)?.instants ?? []).map((ms) => new Date(ms).toISOString());

describe('a usual range', () => {
  const rangeOf = (preset: RangePreset, zone: string, now = '2026-11-29T16:30:30Z'): string =>
    presetRange(preset, Date.parse(now), offsetIn(zone))
      .map((timeMs) => new Date(timeMs).toISOString().slice(0, 16))
      .join(' ');

  it('begins and ends at midnight of the zone, or at a whole minute', () => {
    expect(rangeOf('today', 'Europe/Berlin')).toBe('2026-11-28T23:00 2026-11-29T23:00');
    expect(rangeOf('yesterday', 'Europe/Berlin')).toBe('2026-11-27T23:00 2026-11-28T23:00');
    expect(rangeOf('yesterday', 'UTC')).toBe('2026-11-28T00:00 2026-11-29T00:00');
    expect(rangeOf('lastWeek', 'UTC')).toBe('2026-11-22T00:00 2026-11-29T00:00');
    expect(rangeOf('lastHour', 'Europe/Berlin')).toBe('2026-11-29T15:31 2026-11-29T16:31');
  });

  it('begins at the first instant of a day whose midnight the clocks skip', () => {
    expect(rangeOf('today', 'America/Havana', '2026-03-08T12:00:00Z')).toBe(
      '2026-03-08T05:00 2026-03-09T04:00',
    );
  });

  it('is an hour of the day in which it began', () => {
    const hourOf = (hour: number, day: string): string =>
      hourRange(Date.parse(day), hour, newYork)
        .map((timeMs) => new Date(timeMs).toISOString().slice(0, 16))
        .join(' ');
    expect(hourOf(14, '2026-11-29T04:59:59Z')).toBe('2026-11-28T19:00 2026-11-28T20:00');
    expect(hourOf(23, '2026-11-29T05:00:00Z')).toBe('2026-11-30T04:00 2026-11-30T05:00');
    // The clocks show this one twice.
    expect(hourOf(1, '2026-11-01T12:00:00Z')).toBe('2026-11-01T05:00 2026-11-01T07:00');
  });
});

describe('a time that is entered', () => {
  it('reads an entered time as one instant', () => {
    expect(wallTime('2026-11-21T10:00', newYork)).toEqual({
      instants: [Date.parse('2026-11-21T15:00:00Z')],
      isSkipped: false,
    });
  });

  it('reads a time that the clocks show twice as two instants, the earlier one first', () => {
    expect(instants('2026-11-01T01:30')).toEqual(['2026-11-01T05:30:00.000Z', '2026-11-01T06:30:00.000Z']);
    expect(momentFrom('2026-11-01T01:30', newYork).ms).toBe(Date.parse('2026-11-01T05:30:00Z'));
  });

  it('offers the two instants around a time that the clocks skip', () => {
    expect(wallTime('2026-03-08T02:30', newYork)?.isSkipped).toBe(true);
    expect(instants('2026-03-08T02:30')).toEqual(['2026-03-08T06:30:00.000Z', '2026-03-08T07:30:00.000Z']);
    expect(momentFrom('2026-03-08T02:30', newYork)).toEqual({ text: '2026-03-08T02:30' });
  });

  it.each([
    'America/New_York',
    'Australia/Lord_Howe',
    'Asia/Kathmandu',
    'Europe/Dublin',
    'Africa/Casablanca',
  ])('finds every instant that the clocks of %s show', (zone) => {
    const offsetAt = offsetIn(zone);
    const time = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2030, 0) });
    fc.assert(
      fc.property(time, (timeMs) => {
        expect(wallTime(inputOf(timeMs, offsetAt), offsetAt)?.instants).toContain(timeMs);
      }),
    );
  });

  it.each([
    ['12345-01-02T03:04', '+012345-01-02T03:04:00.000Z'],
    ['0099-01-02T03:04:05.6', '0099-01-02T03:04:05.600Z'],
  ])('reads any year that a date can have, as in %s', (input, iso) => {
    const utc = (): number => 0;
    expect(wallTime(input, utc)?.instants).toEqual([Date.parse(iso)]);
    expect(wallTime(inputOf(Date.parse(iso), utc), utc)?.instants).toEqual([Date.parse(iso)]);
  });

  it.each([
    '',
    'tomorrow',
    '2026-02-30T00:00',
    '2026-02-28T00:00:60',
    '275761-01-01T00:00',
    '275760-12-31T00:00',
  ])('refuses "%s" as a time', (input) => {
    expect(wallTime(input, newYork)).toBeUndefined();
  });

  it('shows a time with its offset', () => {
    expect(offsetText(Date.parse('2026-11-01T06:30:00Z'), newYork)).toBe('UTC−05:00');
    expect(offsetText(0, offsetIn('Asia/Kathmandu'))).toBe('UTC+05:30');
  });
});

describe('a time in an address', () => {
  it('reads an instant, and Unix time in milliseconds', () => {
    const ms = Date.parse('2026-02-01T00:00:00Z');
    expect([instantIn('2026-02-01'), instantIn(String(ms))]).toEqual([ms, ms]);
  });

  it.each(['2026-02-30', '2026-02-29T10:00:00Z', '5Z', '2026-02-01T10:00:00', '1769904000', 'yesterday'])(
    'reads no instant from "%s"',
    (text) => {
      expect(instantIn(text)).toBeUndefined();
    },
  );
});

describe('the range between two times', () => {
  const layout = new BitLayout({ tickMs: 1000, timestampBits: 30 });
  const start = layout.epochMs;
  const end = layout.expiresAt.getTime();

  it.each<[RangeProblem, number | undefined, number | undefined]>([
    ['incomplete', undefined, start],
    ['equal', start + 5000, start + 5000],
    ['inverted', start + 5000, start],
    ['beforeEpoch', start - 5000, start],
    ['afterEnd', start, end + 1000],
    ['afterEnd', end + 1000, end + 2000],
    ['withinTick', start + 1, start + 999],
  ])('finds the range %s', (problem, fromMs, toMs) => {
    expect(rangeOutcome(layout, fromMs, toMs)).toEqual({ problem });
  });

  it('never returns an empty range, and never throws', () => {
    const time = fc.integer({ min: start - 10_000, max: end + 10_000 });
    fc.assert(
      fc.property(time, time, (fromMs, toMs) => {
        const outcome = rangeOutcome(layout, fromMs, toMs);
        if ('range' in outcome)
          expect(BigInt(outcome.range.first)).toBeLessThan(BigInt(outcome.range.before));
      }),
    );
  });

  it('says whether a range begins before the epoch', () => {
    expect(rangeOutcome(layout, start - 1, start + 1000)).toMatchObject({ beginsBeforeEpoch: true });
    expect(rangeOutcome(layout, start, start + 1000)).toMatchObject({ beginsBeforeEpoch: false });
  });
});

describe('the time of an ID', () => {
  const layout = new BitLayout();
  const ms = Date.parse('2026-11-21T10:19:57.897Z');

  it.each([
    '382475217496248322',
    ' 0x054ed32f12411002 ',
    '054ed32f12411002',
    '382475217496248322n',
    '0SFjugjHF10',
  ])('reads the time of the ID %s', (text) => {
    expect(timeOfId(text, layout)).toEqual({ id: '382475217496248322', ms });
  });

  it.each([
    ['abc', 'range.notAnId'],
    ['382475217496248322 382475217496248323', 'range.notAnId'],
    ['-5', 'warning.negative'],
    ['9223372036854775808', 'warning.tooLarge'],
  ])('returns no time for %s, but the problem %s', (text, problem) => {
    expect(timeOfId(text, layout)).toMatchObject({ problem });
  });

  it('returns no time beyond the end of the layout', () => {
    const short = new BitLayout({ timestampBits: 30, tickMs: 1000 });
    expect(timeOfId('9223372036854775807', short)).toMatchObject({ problem: 'warning.beyondEnd' });
  });
});
