import { BitLayout } from './bit-layout.js';
import type { BitLayoutOptions } from './bit-layout-options.js';
import { IdDecoder } from '../ids/decoder.js';
import { InvalidOptionError } from '../errors/input-errors.js';
import { type LayoutPresetName, layoutPreset, layoutPresets } from './presets.js';
import { MAX_ID } from '../ids/id-words.js';

const layoutOf = (name: LayoutPresetName): BitLayout => {
  const { layout, epoch } = layoutPreset(name);
  return new BitLayout(layout, epoch);
};

describe('layoutPresets', () => {
  it.each<[LayoutPresetName, string, string, string]>([
    ['twitter', '2010-11-04T01:42:54.657Z', '41 5 5 12', '2080-07-10T17:30:30.208Z'],
    ['discord', '2015-01-01T00:00:00.000Z', '41 5 5 12', '2084-09-06T15:47:35.551Z'],
    ['instagram', '2011-08-24T21:07:01.721Z', '40 13 10', '2046-06-27T17:00:49.496Z'],
    ['ich', '1970-01-01T00:00:00.000Z', '41 10 12', '2039-09-07T15:47:35.551Z'],
    ['sonyflake', '2014-09-01T00:00:00.000Z', '39 8 16', '2188-11-16T03:28:58.879Z'],
    ['baidu', '2016-05-19T16:00:00.000Z', '28 22 13', '2024-11-20T13:24:15.999Z'],
    ['jsSafe53', '2024-01-01T00:00:00.000Z', '41 5 7', '2093-09-06T15:47:35.551Z'],
  ])('gives the preset %s the epoch %s and %s bits, until %s', (name, epoch, widths, end) => {
    const layout = layoutOf(name);
    expect(new Date(layout.epochMs).toISOString()).toBe(epoch);
    expect(layout.fields.map(({ bits }) => bits).join(' ')).toBe(widths);
    expect(layout.expiresAt.toISOString()).toBe(end);
  });

  it('lists every preset in the table above', () => {
    expect(Object.keys(layoutPresets)).toHaveLength(7);
  });

  it('keeps the largest ID of every preset within 63 bits, and of jsSafe53 within a safe integer', () => {
    for (const name of Object.keys(layoutPresets) as LayoutPresetName[]) {
      const layout = layoutOf(name);
      const largest = layout.compose({
        tick: layout.maxTick,
        datacenterId: layout.maxDatacenterId,
        workerId: layout.maxWorkerId,
        sequence: layout.maxSequence,
      });
      expect(largest).toBe(name === 'jsSafe53' ? BigInt(Number.MAX_SAFE_INTEGER) : MAX_ID);
    }
  });

  it.each<[string, BitLayoutOptions]>([
    ['discord', { timestampBits: 42, datacenterBits: 5, workerBits: 5, sequenceBits: 12 }],
    ['instagram', { timestampBits: 41, workerBits: 13, sequenceBits: 10 }],
  ])('counts one bit less for %s than its source, which includes the sign bit', (_name, options) => {
    expect(() => new BitLayout(options)).toThrow(/layout.timestampBits is out of bounds/);
  });

  it('decodes the IDs of ICH.Snowflake before November 2021 with the documented layout', () => {
    const decoder = new IdDecoder(
      new BitLayout({ timestampBits: 41, workerBits: 12, sequenceBits: 10 }, '2000-01-01T00:00:00Z'),
    );
    const [tick, workerId, sequence] = [652_924_800_000n, 700n, 1023n];
    expect(decoder.decode((tick << 22n) | (workerId << 10n) | sequence)).toMatchObject({
      tick: Number(tick),
      workerId: Number(workerId),
      sequence: Number(sequence),
    });
  });

  it.each(['Twitter', '', 'toString', '__proto__'])(
    'refuses the preset %p, and lists the known ones',
    (name) => {
      expect(() => layoutPreset(name)).toThrow(InvalidOptionError);
      expect(() => layoutPreset(name)).toThrow(
        /twitter, discord, instagram, ich, sonyflake, baidu, jsSafe53/,
      );
    },
  );
});
