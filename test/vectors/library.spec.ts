import { BitLayout, IdDecoder, IdGenerator, layoutPresets } from 'nestjs-snowflake/core';
import { VirtualClock } from '../../libs/snowflake/src/store-testing/virtual-clock.js';
import { layouts, libraryFields, libraryLayout, type NamedVector, vectors } from './vectors.js';

/** More IDs than this are not made to reach the sequence number of a vector. */
const MOST_IDS = 10_000;

/** The ID with the sequence number of the vector: all before it in its tick are made, too. */
function generated(vector: NamedVector): { bigint: bigint; decimal: string } {
  const layout = libraryLayout(vector.layout);
  const { tick, datacenterId, workerId, sequence } = libraryFields(vector);
  const holder = (): IdGenerator => {
    const generator = new IdGenerator(layout, new VirtualClock(layout.startOfTick(tick)));
    const untilMs = layout.endOfTick(tick);
    const fromMs = layout.startOfTick(tick) - 1;
    generator.adopt({ workerId, datacenterId, fromMs, untilMs, clockTimeUntilMs: untilMs });
    return generator;
  };
  return {
    bigint:
      holder()
        .nextBigInts(sequence + 1)
        .at(-1) ?? -1n,
    decimal:
      holder()
        .nextIds(sequence + 1)
        .at(-1) ?? '',
  };
}

describe('the vectors', () => {
  it('covers every preset with its own widths and epoch by many vectors', () => {
    expect(vectors.length).toBeGreaterThan(100);
    for (const [name, { layout, epoch }] of Object.entries(layoutPresets)) {
      const written = layouts.find((each) => each.layout === name);
      expect(written && libraryLayout(written).fingerprint).toBe(new BitLayout(layout, epoch).fingerprint);
    }
  });

  it.each(vectors)('composes the vector $name', (vector) => {
    expect(libraryLayout(vector.layout).compose(libraryFields(vector))).toBe(BigInt(vector.decimal));
  });

  it.each(vectors)('decodes the vector $name', (vector) => {
    const layout = libraryLayout(vector.layout);
    const { datacenterId, ...fields } = libraryFields(vector);
    const hasDatacenter = layout.maxDatacenterId > 0;
    for (const id of [
      vector.decimal,
      BigInt(`0x${vector.hex}`),
      BigInt(`0b${vector.binary.replaceAll(' ', '')}`),
    ]) {
      const decoded = new IdDecoder(layout).decode(id);
      expect(decoded.toJSON()).toEqual({
        id: vector.decimal,
        ...fields,
        ...(hasDatacenter ? { datacenterId } : {}),
        timestampMs: vector.timeMs,
        timestamp: new Date(vector.timeMs),
      });
      expect(vector.time).toBe(vector.time === null ? null : decoded.timestamp.toISOString());
    }
  });

  const within = vectors.filter((vector) => libraryFields(vector).sequence < MOST_IDS);

  it('finds all vectors within reach of the generator, except for the longest sequences', () => {
    expect(within.length).toBeGreaterThan(0.9 * vectors.length);
    expect(new Set(within.map(({ layout }) => layout.layout)).size).toBe(layouts.length);
  });

  it.each(within)('generates the vector $name', (vector) => {
    expect(generated(vector)).toEqual({ bigint: BigInt(vector.decimal), decimal: vector.decimal });
  });

  it.each(layouts)('notices a wrong vector of $layout (control)', (layout) => {
    const right = within.find(
      (vector) => vector.layout.layout === layout.layout && vector.values.some(Boolean),
    );
    const wrong = {
      ...right!,
      values: right!.values.map((value, at) => (at === 0 ? value + (value > 0 ? -1 : 1) : value)),
    };
    const id = BigInt(wrong.decimal);
    expect(libraryLayout(layout).compose(libraryFields(wrong))).not.toBe(id);
    expect(new IdDecoder(libraryLayout(layout)).decode(id).tick).not.toBe(libraryFields(wrong).tick);
    expect(generated(wrong).bigint).not.toBe(id);
  });
});
