import {
  BitLayout,
  type BitLayoutOptions,
  type IdFields,
  IdDecoder,
  IdGenerator,
  layoutPresets,
} from 'nestjs-snowflake/core';
import { VirtualClock } from '../../libs/snowflake/src/stores/port/virtual-clock.js';

type FieldName = 'timestamp' | 'datacenter' | 'worker' | 'sequence';
type Field = readonly [name: FieldName, bits: number];
/** A value for each field of a layout. */
type Values = readonly number[];

/** Layouts, written down without the help of the library. Fields come most significant first. */
const LAYOUTS: Readonly<Record<string, { epochMs: number; tickMs: number; fields: readonly Field[] }>> = {
  twitter: layout(1288834974657, 1, 'timestamp 41, datacenter 5, worker 5, sequence 12'),
  discord: layout(1420070400000, 1, 'timestamp 41, datacenter 5, worker 5, sequence 12'),
  instagram: layout(1314220021721, 1, 'timestamp 40, worker 13, sequence 10'),
  ich: layout(0, 1, 'timestamp 41, worker 10, sequence 12'),
  sonyflake: layout(1409529600000, 10, 'timestamp 39, sequence 8, worker 16'),
  baidu: layout(1463673600000, 1000, 'timestamp 28, worker 22, sequence 13'),
  jsSafe53: layout(1704067200000, 1, 'timestamp 41, worker 5, sequence 7'),
  'the default layout': layout(1704067200000, 1, 'timestamp 41, worker 10, sequence 12'),
  'a worker across both halves': layout(1704067200000, 1, 'timestamp 39, worker 16, sequence 8'),
  'the datacenter last': layout(1704067200000, 7, 'timestamp 41, sequence 12, worker 7, datacenter 3'),
  'the worker first': layout(1704067200000, 1, 'timestamp 41, worker 7, datacenter 3, sequence 12'),
  'the narrowest timestamp': layout(1704067200000, 60000, 'timestamp 22, worker 10, sequence 31'),
  'the widest timestamp': layout(0, 1, 'timestamp 53, worker 0, sequence 10'),
  'the widest worker': layout(1704067200000, 1000, 'timestamp 31, worker 31, sequence 1'),
};

const names = Object.keys(LAYOUTS);
const LAST_DATE_MS = 8_640_000_000_000_000;
/** More IDs than this are not made to reach a sequence number. */
const MOST_IDS = 10_000;

function layout(epochMs: number, tickMs: number, fields: string) {
  const parts = fields.split(', ').map((field) => field.split(' '));
  return { epochMs, tickMs, fields: parts.map(([name, bits]): Field => [name as FieldName, Number(bits)]) };
}

/** The ID as text: each field as binary digits, one after another. It shares nothing with the library. */
function idOf(name: string, values: Values): bigint {
  const digits = LAYOUTS[name]!.fields.map(([, bits], at) =>
    bits > 0 ? values[at]!.toString(2).padStart(bits, '0') : '',
  );
  return BigInt(`0b${digits.join('')}`);
}

/** All fields at zero, all at the end, each one alone at 1 and at its end, and mixtures of ones and zeros. */
function casesOf(name: string): Values[] {
  const { epochMs, tickMs, fields } = LAYOUTS[name]!;
  const lastTick = Math.floor((LAST_DATE_MS - epochMs - tickMs + 1) / tickMs);
  const ends = fields.map(([field, bits]) =>
    field === 'timestamp' ? Math.min(2 ** bits - 1, lastTick) : 2 ** bits - 1,
  );
  const alone = ends.flatMap((end, at) =>
    [Math.min(1, end), end].map((value) => ends.map((_, other) => (other === at ? value : 0))),
  );
  const mixtures = ['10', '110', '011010'].map((pattern) =>
    fields.map(([, bits], at) => Math.min(ends[at]!, Number(`0b0${pattern.repeat(32).slice(0, bits)}`))),
  );
  return [ends.map(() => 0), ends, ...alone, ...mixtures];
}

/** The same layout as the library has it. */
function libraryLayout(name: string): BitLayout {
  const { epochMs, tickMs, fields } = LAYOUTS[name]!;
  const widths = Object.fromEntries(fields.map(([field, bits]) => [`${field}Bits`, bits]));
  const order = fields.flatMap(([field]) => (field === 'timestamp' ? [] : [field]));
  return new BitLayout({ ...(widths as BitLayoutOptions), tickMs, order }, epochMs);
}

/** The fields as the library names them. */
function libraryFields(name: string, values: Values): Required<IdFields> {
  const value = (field: FieldName): number =>
    values[LAYOUTS[name]!.fields.findIndex(([each]) => each === field)] ?? 0;
  return {
    tick: value('timestamp'),
    datacenterId: value('datacenter'),
    workerId: value('worker'),
    sequence: value('sequence'),
  };
}

/** The ID with these fields from the generator: all IDs before it in its tick are made, too. */
function generated(name: string, values: Values): { bigint: bigint; decimal: string } {
  const bits = libraryLayout(name);
  const { tick, datacenterId, workerId, sequence } = libraryFields(name, values);
  const holder = (): IdGenerator => {
    const generator = new IdGenerator(bits, new VirtualClock(bits.startOfTick(tick)));
    const untilMs = bits.endOfTick(tick);
    const fromMs = bits.startOfTick(tick) - 1;
    generator.adopt({ workerId, datacenterId, fromMs, untilMs, clockTimeUntilMs: untilMs });
    return generator;
  };
  const bigints = holder().nextBigInts(sequence + 1);
  const decimals = holder().nextIds(sequence + 1);
  return { bigint: bigints.at(-1)!, decimal: decimals.at(-1)! };
}

const hasNearSequence = (name: string, values: Values): boolean =>
  libraryFields(name, values).sequence < MOST_IDS;

describe('an ID whose fields are written as binary digits', () => {
  it('has the widths, the order and the epoch of every preset', () => {
    for (const [name, { layout: options, epoch }] of Object.entries(layoutPresets)) {
      expect(libraryLayout(name).fingerprint).toBe(new BitLayout(options, epoch).fingerprint);
    }
    expect(libraryLayout('the default layout').fingerprint).toBe(new BitLayout().fingerprint);
  });

  it.each(names)('is what compose() returns for %s', (name) => {
    for (const values of casesOf(name)) {
      expect(libraryLayout(name).compose(libraryFields(name, values))).toBe(idOf(name, values));
    }
  });

  it.each(names)('decodes to its fields and its time for %s', (name) => {
    const { epochMs, tickMs } = LAYOUTS[name]!;
    const bits = libraryLayout(name);
    for (const values of casesOf(name)) {
      const id = idOf(name, values);
      const { datacenterId, ...fields } = libraryFields(name, values);
      const timestampMs = epochMs + fields.tick * tickMs;
      for (const form of [id, id.toString()]) {
        expect(new IdDecoder(bits).decode(form).toJSON()).toEqual({
          id: id.toString(),
          ...fields,
          ...(bits.maxDatacenterId > 0 ? { datacenterId } : {}),
          timestampMs,
          timestamp: new Date(timestampMs),
        });
      }
    }
  });

  it.each(names)('is what the generator makes for %s', (name) => {
    const near = casesOf(name).filter((values) => hasNearSequence(name, values));
    expect(near.length).toBeGreaterThan(casesOf(name).length / 2);
    for (const values of near) {
      const id = idOf(name, values);
      expect(generated(name, values)).toEqual({ bigint: id, decimal: id.toString() });
    }
  });

  it.each(names)('differs from what the library makes of other fields for %s (control)', (name) => {
    const values = casesOf(name).findLast((each) => each[0] !== 0 && hasNearSequence(name, each))!;
    const id = idOf(name, values);
    const [tick = 0, ...rest] = values;
    const other = [tick - 1, ...rest];
    expect(libraryLayout(name).compose(libraryFields(name, other))).not.toBe(id);
    expect(new IdDecoder(libraryLayout(name)).decode(id).tick).not.toBe(other[0]);
    expect(generated(name, other).bigint).not.toBe(id);
  });
});
