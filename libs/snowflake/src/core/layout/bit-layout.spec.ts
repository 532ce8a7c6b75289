import { BitLayout } from './bit-layout.js';
import type { BitLayoutOptions, Instant } from './bit-layout-options.js';
import { InvalidOptionError } from '../errors/input-errors.js';
import { layoutPreset, layoutPresets } from './presets.js';

const optionOf = (make: () => unknown): string => {
  try {
    make();
  } catch (error) {
    if (error instanceof InvalidOptionError) return error.option;
    throw error;
  }
  return 'nothing';
};

describe('BitLayout', () => {
  it('uses 63 bits by default, 41 of them for milliseconds', () => {
    const layout = new BitLayout();
    expect(layout.fields).toEqual([
      { name: 'timestamp', bits: 41, shift: 22 },
      { name: 'worker', bits: 10, shift: 12 },
      { name: 'sequence', bits: 12, shift: 0 },
    ]);
    expect(layout.maxWorkerId).toBe(1023);
    expect(layout.idsPerTick).toBe(4096);
    expect(layout.expiresAt.toISOString()).toBe('2093-09-06T15:47:35.551Z');
  });

  it('puts the fields in the given order', () => {
    const { layout, epoch } = layoutPresets.sonyflake;
    expect(new BitLayout(layout, epoch).fields).toEqual([
      { name: 'timestamp', bits: 39, shift: 24 },
      { name: 'sequence', bits: 8, shift: 16 },
      { name: 'worker', bits: 16, shift: 0 },
    ]);
  });

  it.each(Object.keys(layoutPresets))('accepts the preset %s', (name) => {
    const { layout, epoch } = layoutPreset(name);
    const { fields } = new BitLayout(layout, epoch);
    expect(fields.reduce((sum, { bits }) => sum + bits, 0)).toBeLessThanOrEqual(63);
  });

  it.each<[string, BitLayoutOptions]>([
    ['layout.workerBits', { workerBits: -1 }],
    ['layout.workerBits', { workerBits: 1.5 }],
    ['layout.workerBits', { workerBits: 32 }],
    ['layout.workerBits', { workerBits: Number.NaN }],
    ['layout.workerBits', { workerBits: '10' as unknown as number }],
    ['layout.sequenceBits', { sequenceBits: 0 }],
    ['layout.datacenterBits', { datacenterBits: 40 }],
    ['layout.tickMs', { tickMs: 0 }],
    ['layout.tickMs', { tickMs: 60_001 }],
    ['layout', { workerBits: 22, sequenceBits: 20 }],
    ['layout.timestampBits', { timestampBits: 42 }],
    ['layout.timestampBits', { timestampBits: 21 }],
    ['layout.order', { order: ['worker', 'worker', 'sequence'] }],
    ['layout.order', { order: ['worker'] }],
    ['layout.order', { order: 'worker' as unknown as [] }],
    ['layout.order', { workerBits: 22, sequenceBits: 13, order: ['sequence', 'worker'] }],
  ])('refuses %s of %p', (option, options) => {
    expect(optionOf(() => new BitLayout(options))).toBe(option);
  });

  it.each(['yesterday', new Date(Number.NaN), Number.NaN, 1.5, undefined as unknown as string, {} as Date])(
    'refuses the epoch %p',
    (epoch) => {
      expect(optionOf(() => new BitLayout({}, epoch ?? (null as unknown as string)))).toBe('epoch');
    },
  );

  it('refuses an epoch in the future and a layout that has ended', () => {
    const layout = new BitLayout({ timestampBits: 22 }, '2026-01-01T00:00:00Z');
    expect(() => layout.assertUsableAt(Date.parse('2025-12-31T23:59:59.999Z'))).toThrow(
      /epoch is in the future/,
    );
    expect(() => layout.assertUsableAt(Date.parse('2026-01-01T00:00:00Z'))).not.toThrow();
    expect(layout.expiresAt.toISOString()).toBe('2026-01-01T01:09:54.303Z');
    expect(() => layout.assertUsableAt(Date.parse('2026-01-01T01:09:54.303Z'))).not.toThrow();
    expect(() => layout.assertUsableAt(Date.parse('2026-01-01T01:09:54.304Z'))).toThrow(
      /ended at 2026-01-01T01:09:54.303Z/,
    );
  });

  it('composes the published example of a tweet', () => {
    const layout = new BitLayout(layoutPresets.twitter.layout, layoutPresets.twitter.epoch);
    const id = layout.compose({ tick: 367597485448, datacenterId: 11, workerId: 26, sequence: 0 });
    expect(id).toBe((367597485448n << 22n) | (11n << 17n) | (26n << 12n));
  });

  it.each([
    ['workerId', { tick: 0, workerId: 1024, sequence: 0 }],
    ['workerId', { tick: 0, workerId: -1, sequence: 0 }],
    ['sequence', { tick: 0, workerId: 0, sequence: 4096 }],
    ['tick', { tick: 2 ** 41, workerId: 0, sequence: 0 }],
    ['datacenterId', { tick: 0, workerId: 0, sequence: 0, datacenterId: 1 }],
  ])("refuses to compose a %s that doesn't fit", (option, fields) => {
    expect(optionOf(() => new BitLayout().compose(fields))).toBe(option);
  });

  it('makes a fingerprint of everything that decides the bits of an ID', () => {
    const fingerprints = [
      new BitLayout(),
      new BitLayout({ workerBits: 9 }),
      new BitLayout({ sequenceBits: 11 }),
      new BitLayout({ tickMs: 2 }),
      new BitLayout({ timestampBits: 40 }),
      new BitLayout({ order: ['sequence', 'worker'] }),
      new BitLayout({}, '2024-01-02T00:00:00Z'),
    ].map(({ fingerprint }) => fingerprint);
    expect(new Set(fingerprints).size).toBe(fingerprints.length);
    expect(fingerprints[0]).toBe(
      'epoch=2024-01-01T00:00:00.000Z tick=1ms timestamp:41 worker:10 sequence:12',
    );
  });

  it.each<[BitLayoutOptions, Instant]>([
    [{}, '2024-01-01'],
    [{ workerBits: 0, sequenceBits: 20 }, 0],
    [{ datacenterBits: 3, workerBits: 9, sequenceBits: 8, tickMs: 4 }, '2020-02-02'],
    [{ timestampBits: 30, workerBits: 8, order: ['sequence', 'worker'] }, '1999-12-31T23:59:59.999Z'],
    [{ order: ['worker', 'datacenter', 'sequence'], datacenterBits: 4 }, '2024-01-01'],
  ])('makes the layout %p since %p again from its options and from its fingerprint', (options, epoch) => {
    const layout = new BitLayout(options, epoch);
    expect(new BitLayout(layout.toOptions(), layout.epochMs)).toEqual(layout);
    expect(BitLayout.fromFingerprint(layout.fingerprint)).toEqual(layout);
    expect(BitLayout.fromFingerprint(`v2 ${layout.fingerprint} workers=0+8`)).toEqual(layout);
  });

  it.each([
    ['fingerprint', ''],
    ['fingerprint', 'v2 epoch=1704067200000 tick=1 ts=41 worker=10 seq=12 workers=0+1024'],
    ['fingerprint', 'epoch=2024-01-01 tick=1ms timestamp:41 worker:10 sequence:12'],
    ['fingerprint', 'epoch=2024-01-01T00:00:00.000Z tick=1ms timestamp:41 worker:10 worker:9 sequence:12'],
    ['layout.sequenceBits', 'epoch=2024-01-01T00:00:00.000Z tick=1ms timestamp:41 worker:10'],
    ['layout.tickMs', 'epoch=2024-01-01T00:00:00.000Z tick=0ms timestamp:41 worker:10 sequence:12'],
    ['epoch', 'epoch=yesterday tick=1ms timestamp:41 worker:10 sequence:12'],
  ])('refuses %s of the fingerprint %p', (option, text) => {
    expect(optionOf(() => BitLayout.fromFingerprint(text))).toBe(option);
  });

  it.each(['2024-01-01T00:00:00', '2024-01-01 00:00', '2024-1-1', 'Jan 1 2024'])(
    'refuses the epoch %p, which is another one in each time zone',
    (epoch) => {
      expect(() => new BitLayout({}, epoch)).toThrow(/^epoch is a different instant in each time zone/);
    },
  );

  it.each([
    '2024-01-01',
    '2024',
    '2024-01-01T00:00Z',
    '2024-01-01T01:00:00.000+01:00',
    '2023-12-31T20:30-0330',
    'Mon, 01 Jan 2024 00:00:00 GMT',
  ])('accepts the epoch %p', (epoch) => {
    expect(new BitLayout({}, epoch).epochMs).toBe(Date.UTC(2024, 0, 1));
  });
});
