import { IdDecoder } from 'nestjs-snowflake/core';
import { layoutOf, published, type PublishedVector } from './published.js';

/** What a source says that the library decodes otherwise. */
function contradictions(vector: PublishedVector): string[] {
  const { id, time, precisionMs = 1, fields = {}, binary } = vector;
  const decoded = new IdDecoder(layoutOf(vector)).decode(id);
  const saidMs = time === undefined ? undefined : Date.parse(time);
  const digits = binary?.replace(/[^01]/g, '');
  return [
    ...Object.entries(fields).flatMap(([name, value]) =>
      decoded[name as keyof typeof fields] === value ? [] : [name],
    ),
    ...(saidMs === undefined || Math.floor(decoded.timestampMs / precisionMs) * precisionMs === saidMs
      ? []
      : ['time']),
    ...(digits === undefined || BigInt(id) === BigInt(`0b${digits}`) ? [] : ['binary']),
  ];
}

const named = published.map((vector) => ({ ...vector, name: `${vector.system} ${vector.id}` }));

describe('an ID that others have published', () => {
  it('names the source of each published ID, and something to check', () => {
    for (const { source, time, fields } of published) {
      expect(source).toMatch(/https:\/\//);
      expect(time !== undefined || fields !== undefined).toBe(true);
    }
  });

  it.each(named)('decodes $name as published', (vector) => {
    expect(contradictions(vector)).toEqual([]);
  });

  it.each(named)('composes $name from what it decodes to', (vector) => {
    const layout = layoutOf(vector);
    const { tick, datacenterId, workerId, sequence } = new IdDecoder(layout).decode(vector.id);
    expect(layout.compose({ tick, datacenterId, workerId, sequence }).toString()).toBe(vector.id);
  });

  it.each(named)('notices another ID than $name (control)', (vector) => {
    // A bit of the timestamp's seconds, and one of the fields below it.
    const fieldsBelow = Object.keys(vector.fields ?? {}).some((name) => name !== 'tick');
    const flips = [1n << 40n, ...(fieldsBelow ? [1n << 13n] : [])];
    for (const flip of flips) {
      const id = (BigInt(vector.id) ^ flip).toString();
      expect(contradictions({ ...vector, id })).not.toEqual([]);
    }
  });
});
