import fc from 'fast-check';
import { BitLayout } from '../layout/bit-layout.js';
import { InvalidIdError, InvalidOptionError } from '../errors/input-errors.js';
import { layoutPreset, layoutPresets } from '../layout/presets.js';
import { MAX_ID } from '../ids/id-words.js';
import { readableCodec } from './readable-codec.js';

function preset(name: string): BitLayout {
  const { layout, epoch } = layoutPreset(name);
  return new BitLayout(layout, epoch);
}

describe('the readable codec', () => {
  it.each([
    ['twitter', '20260101T000000000-17-05-0042', { datacenterId: 17, workerId: 5, sequence: 42 }],
    ['jsSafe53', '20260101T000000000-05-042', { workerId: 5, sequence: 42 }],
    ['sonyflake', '20260101T000000000-042-00005', { workerId: 5, sequence: 42 }],
    ['baidu', '20240101T000000000-0000005-0042', { workerId: 5, sequence: 42 }],
  ])('shows the fields of %s in their order', (name, text, fields) => {
    const layout = preset(name);
    const id = layout.compose({ tick: layout.tickAt(Date.UTC(Number(text.slice(0, 4)), 0)), ...fields });
    expect(readableCodec(layout).encode(id)).toBe(text);
    expect(readableCodec(layout).decodeBigInt(text)).toBe(id);
  });

  it('omits a field of 0 bits', () => {
    const layout = new BitLayout({ workerBits: 0, sequenceBits: 4 });
    expect(readableCodec(layout).encode(15n)).toBe('20240101T000000000-15');
    expect(readableCodec(layout).decode('20240101T000000000-15')).toBe('15');
  });

  it.each(Object.keys(layoutPresets))('returns all IDs of %s, in their order', (name) => {
    const layout = preset(name);
    const codec = readableCodec(layout);
    const last = layout.compose({
      tick: layout.maxTick,
      datacenterId: layout.maxDatacenterId,
      workerId: layout.maxWorkerId,
      sequence: layout.maxSequence,
    });
    const ids = fc.bigInt({ min: 0n, max: last });
    fc.assert(
      fc.property(ids, ids, (a, b) => {
        expect(codec.decodeBigInt(codec.encode(a))).toBe(a);
        expect(codec.encode(a) < codec.encode(b)).toBe(a < b);
      }),
      { examples: [[0n, last]] },
    );
    expect(codec.encode(last)).toContain(
      new Date(layout.startOfTick(layout.maxTick)).getUTCFullYear().toString(),
    );
  });

  it.each([
    ['20261121T101957897-0017', "doesn't have 2 fields"],
    ['20261121T101957897-0017-0002-0', "doesn't have 2 fields"],
    ['20261121T101957897-17-0002', 'has a workerId that is not 4 digits'],
    ['20261121T101957897-0017-+002', 'has a sequence that is not 4 digits'],
    ['20261121T101957897-0017-٠٠٠٢', 'has a sequence that is not 4 digits'],
    ['20261121T101957897-1024-0002', 'has a workerId above 1023'],
    ['20261121T101957897-0017-4096', 'has a sequence above 4095'],
    ['20231231T235959999-0017-0002', "is before the layout's epoch"],
    ['20930906T154735552-0017-0002', 'is beyond the end of the layout'],
    ['20260230T101957897-0017-0002', "doesn't start with a time"],
    ['20261321T101957897-0017-0002', "doesn't start with a time"],
    ['20261121T240000000-0017-0002', "doesn't start with a time"],
    ['20261121T101960000-0017-0002', "doesn't start with a time"],
    ['20261121T101957897Z-0017-0002', "doesn't start with a time"],
    ['2026-11-21T10:19:57.897-0017-0002', "doesn't start with a time"],
    ['Sat Nov 21 2026-0017-0002', "doesn't start with a time"],
  ])('refuses the text %s', (text, problem) => {
    const decode = (): string => readableCodec(new BitLayout()).decode(text);
    expect(decode).toThrow(InvalidIdError);
    expect(decode).toThrow(problem);
    expect(decode).toThrow(/from encode\(\) with the same layout, such as 20240101T000000000-0000-0000/);
  });

  it('refuses a time within a tick, because no ID has it', () => {
    const codec = readableCodec(preset('sonyflake'));
    expect(codec.decode('20260101T000000010-000-00000')).toMatch(/^\d+$/);
    expect(() => codec.decode('20260101T000000011-000-00000')).toThrow('is not the start of a 10 ms tick');
  });

  it("throws on IDs and layouts that it can't show", () => {
    const long = readableCodec(new BitLayout({ timestampBits: 52, workerBits: 5, sequenceBits: 6 }));
    expect(() => long.encode(MAX_ID)).toThrow(InvalidIdError);
    expect(() => long.encode(MAX_ID)).toThrow('is after the year 9999');
    const short = readableCodec(new BitLayout({ timestampBits: 40 }));
    expect(() => short.encode(MAX_ID)).toThrow(InvalidIdError);
    for (const none of [undefined, null, {}, 'twitter']) {
      expect(() => readableCodec(none as BitLayout)).toThrow('layout is not a BitLayout');
    }
    expect(() => readableCodec(new BitLayout({}, '-000001-01-01T00:00:00Z'))).toThrow(InvalidOptionError);
    expect(() => readableCodec(new BitLayout({}, '+010000-01-01T00:00:00Z'))).toThrow(InvalidOptionError);
  });
});
