import fc from 'fast-check';
import { BitLayout, layoutPresets, type LayoutPresetName } from 'nestjs-snowflake/core';
import { type Arrangement, arranged, AS_PASTED } from '../page/src/ids/arranged.js';
import { csvOf, jsonOf } from '../page/src/ids/exported.js';
import { betterFitting } from '../page/src/ids/fitting-layouts.js';
import { foundIdsIn } from '../page/src/ids/found-ids.js';
import { overTime, timeChart } from '../page/src/ids/histogram.js';
import { judgedTogether, type Reading, readingsOf } from '../page/src/ids/reading.js';
import { bitsOf, textsOf } from '../page/src/ids/texts-of-id.js';

const NOW_MS = Date.parse('2026-11-23T00:00:00Z');
const layout = new BitLayout();

const idAt = (time: string, workerId = 17, sequence = 3): string =>
  layout.compose({ tick: layout.tickAt(Date.parse(time)), workerId, sequence }).toString();

const readings = (text: string): Reading[] => readingsOf(foundIdsIn(text).ids, layout, NOW_MS);

describe('a reading', () => {
  it('holds the fields of the ID', () => {
    const [reading] = readings(idAt('2026-11-21T10:19:57.897Z'));
    expect(reading).toMatchObject({ position: 1, line: 1, warnings: [] });
    expect(reading?.fields).toMatchObject({
      workerId: 17,
      sequence: 3,
      timestampMs: Date.parse('2026-11-21T10:19:57.897Z'),
    });
  });

  it.each([
    ['of the future', idAt('2026-11-23T00:00:06Z'), ['future']],
    ['of a clock that is a little ahead', idAt('2026-11-23T00:00:04Z'), []],
    ['within a day of the epoch', '4194304', ['early']],
    ['that is negative', '-382475217496248322', ['negative']],
    ['above 63 bits', '9223372036854775808', ['tooLarge']],
    ['that JavaScript has rounded', String(Number('382475217496248323')), ['rounded']],
  ])('warns of an ID %s', (_, text, warnings) => {
    expect(readings(text).map((reading) => reading.warnings)).toEqual([warnings]);
  });

  it.each([
    ['one ID that looks rounded', 1, 0, 0],
    ['a few of many', 3, 30, 0],
    ['more than chance explains', 4, 6, 4],
  ])('judges the IDs of a text together: %s', (_, rounded, others, warned) => {
    const ids = [
      ...Array.from({ length: rounded }, (_each, index) =>
        String(Number('382475217496248323') + index * 2 ** 20),
      ),
      ...Array.from({ length: others }, (_each, index) => String(382475217496248323n + BigInt(index) * 64n)),
    ];
    const read = readings(ids.join('\n'));
    expect(read.filter(({ warnings }) => warnings.includes('rounded'))).toHaveLength(rounded);
    const judged = judgedTogether(read);
    expect(judged.filter(({ warnings }) => warnings.includes('rounded'))).toHaveLength(warned);
    expect(judged.filter(({ mayBeRounded }) => mayBeRounded)).toHaveLength(rounded - warned);
  });

  it('warns of an ID beyond the end of a layout', () => {
    const { layout: narrow, epoch } = layoutPresets.baidu;
    const short = new BitLayout({ ...narrow, timestampBits: 22 }, epoch);
    const [reading] = readingsOf(foundIdsIn('9223372036854775807').ids, short, NOW_MS);
    expect(reading?.warnings).toEqual(['beyondEnd']);
    expect(reading?.fields).toBeUndefined();
  });
});

describe('the proposal of another layout', () => {
  const presets = Object.entries(layoutPresets).map(([name, { layout: options, epoch }]) => ({
    name: name as LayoutPresetName,
    layout: new BitLayout(options, epoch),
  }));
  const fitting = (ids: Parameters<typeof betterFitting>[0], present: BitLayout): string[] =>
    betterFitting(ids, present, NOW_MS, presets).map(({ name }) => name);
  const discord = foundIdsIn('175928847299117063\n80351110224678912\n1500000000000000000').ids;

  it('proposes a layout that gives the IDs a plausible time if the present one does not', () => {
    const sonyflake = foundIdsIn(
      [1, 2, 3]
        .map((step) => String(((BigInt(NOW_MS) - 1409529600000n) / 10n - BigInt(step)) << 24n))
        .join('\n'),
    ).ids;
    expect(fitting(sonyflake, new BitLayout({ timestampBits: 41, tickMs: 1000 }))).toContain('sonyflake');
  });

  it('never proposes a layout that gives almost any number a plausible time', () => {
    const arbitrary = Array.from({ length: 50 }, (_, index) =>
      String(BigInt(index + 1) * 90_071_992_547_409_931n),
    );
    const found = foundIdsIn(arbitrary.join('\n')).ids;
    expect(fitting(found, new BitLayout({ timestampBits: 41, tickMs: 1000 }))).toEqual([]);
    expect(fitting(foundIdsIn('2000000000000000003').ids, layout)).not.toContain('baidu');
  });

  it('never proposes a layout if the present one fits', () => {
    const { layout: options, epoch } = layoutPresets.discord;
    expect(fitting(discord, new BitLayout(options, epoch))).toEqual([]);
    expect(fitting([], layout)).toEqual([]);
  });
});

describe('the table of IDs', () => {
  const text = [
    idAt('2026-11-21T10:00:00Z', 2, 5),
    '-5000000000000000',
    idAt('2026-11-20T10:00:00Z', 1, 9),
    idAt('2027-01-01T00:00:00Z', 2, 1),
  ].join('\n');
  const holders: Readonly<Record<number, string>> = { 1: 'orders-1', 2: 'payments-2' };
  const shown = {
    timesOf: (timeMs: number) => new Date(timeMs).toISOString().replace('T', ' '),
    holderOf: ({ fields }: Reading) => holders[fields?.workerId ?? 0],
  };
  const positions = (part: Partial<Arrangement>): number[] =>
    arranged(readings(text), { ...AS_PASTED, ...part }, shown).map(({ position }) => position);

  it.each<[string, Partial<Arrangement>, number[]]>([
    ['as pasted', {}, [1, 2, 3, 4]],
    ['backwards', { isDescending: true }, [4, 3, 2, 1]],
    ['by ID', { column: 'id' }, [2, 3, 1, 4]],
    ['by ID, largest first', { column: 'id', isDescending: true }, [4, 1, 3, 2]],
    ['by time', { column: 'time' }, [3, 1, 4, 2]],
    ['by time, latest first', { column: 'time', isDescending: true }, [4, 1, 3, 2]],
    ['by worker', { column: 'worker' }, [3, 1, 4, 2]],
    ['by sequence', { column: 'sequence' }, [4, 1, 3, 2]],
    ['of one worker', { filter: 'worker:2' }, [1, 4]],
    ['with part of an ID', { filter: '-5000' }, [2]],
    ['with warnings', { onlyWarnings: true }, [2, 4]],
    [
      'of a time',
      { fromMs: Date.parse('2026-11-20T10:00:00Z'), toMs: Date.parse('2026-11-21T10:00:00Z') },
      [3],
    ],
    ['that a text of the time matches', { filter: '2026-11-20 10' }, [3]],
    ['of a holder', { filter: 'ORDERS' }, [3]],
    ['by holder', { column: 'holder' }, [3, 1, 4, 2]],
  ])('arranges the rows %s', (_, part, wanted) => {
    expect(positions(part)).toEqual(wanted);
  });
});

describe('the order by ID', () => {
  it('sorts IDs as numbers', () => {
    const id = fc.bigInt(-(2n ** 65n), 2n ** 65n).map(String);
    fc.assert(
      fc.property(fc.array(id, { maxLength: 20 }), (ids) => {
        const found = ids.map((each) => ({ text: each, id: each, line: 1 }));
        const sorted = arranged(readingsOf(found, layout, NOW_MS), { ...AS_PASTED, column: 'id' });
        const wanted = ids.map(BigInt).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
        expect(sorted.map((reading) => BigInt(reading.id))).toEqual(wanted);
      }),
    );
  });
});

describe('the charts', () => {
  it('counts each ID once, in at most 60 bars', () => {
    const times = fc.array(fc.integer({ min: layout.epochMs, max: NOW_MS }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(times, (chosen) => {
        const pasted = chosen.map((time) => idAt(new Date(time).toISOString())).join('\n');
        const read = readings(pasted);
        const bars = overTime(read);
        expect(bars.length).toBeLessThanOrEqual(60);
        expect(bars.reduce((sum, { count }) => sum + count, 0)).toBe(
          read.filter(({ fields }) => fields).length,
        );
        for (const { fromMs, toMs } of bars) expect(fromMs).toBeLessThan(toMs);
      }),
    );
  });

  it('shows the usual times if a few others lie far away, and counts those', () => {
    const usual = Array.from({ length: 98 }, (_, index) =>
      idAt(new Date(NOW_MS - index * 60_000).toISOString()),
    );
    const far = [idAt('2024-02-01T00:00:00Z'), idAt('2090-01-01T00:00:00Z')];
    const { bars, before, after } = timeChart(readings([...far, ...usual].join('\n')));
    expect(before).toBeGreaterThanOrEqual(1);
    expect(after).toBeGreaterThanOrEqual(1);
    expect(bars.reduce((sum, { count }) => sum + count, before + after)).toBe(100);
    expect((bars.at(-1)?.toMs ?? 0) - (bars[0]?.fromMs ?? 0)).toBeLessThan(3 * 3_600_000);
    // Control: without them, nothing is left out.
    expect(timeChart(readings(usual.join('\n')))).toMatchObject({ before: 0, after: 0 });
  });
});

describe('an export', () => {
  const text = `=cmd|'/c calc'!A1, ${idAt('2026-11-21T10:00:00Z')}\n-382475217496248322`;

  it('exports IDs as strings in JSON', () => {
    expect(JSON.parse(jsonOf(readings(text)))).toEqual([
      expect.objectContaining({
        id: idAt('2026-11-21T10:00:00Z'),
        worker_id: 17,
        time: '2026-11-21T10:00:00.000Z',
      }),
      expect.objectContaining({ id: '-382475217496248322', warnings: 'negative' }),
    ]);
  });

  it('exports one row for each ID in CSV, and nothing that a spreadsheet runs', () => {
    const lines = csvOf(readings(text)).trimEnd().split('\r\n');
    expect(lines).toHaveLength(3);
    expect(lines[2]).toContain(`'-382475217496248322`);
  });
});

describe('an ID in other forms', () => {
  it('writes an ID with every codec', () => {
    expect(textsOf('382475217496248322', layout)).toEqual([
      { codec: 'decimal', text: '382475217496248322' },
      { codec: 'sortable-decimal', text: '0382475217496248322' },
      { codec: 'hex', text: '054ed32f12411002' },
      { codec: 'base32', text: '0AKPK5W942402' },
      { codec: 'base36', text: '02wm05d9bsjcy' },
      { codec: 'base62', text: '0SFjugjHF10' },
      { codec: 'readable', text: '20261121T101957897-0017-0002' },
      { codec: 'uuid', text: '054ed32f-1241-8100-8656-eda78e74889e' },
    ]);
  });

  it('writes an ID as 64 bits', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 63n - 1n), (id) => {
        expect(BigInt(`0b${bitsOf(String(id))}`)).toBe(id);
        expect(bitsOf(String(id))).toHaveLength(64);
      }),
    );
  });
});
