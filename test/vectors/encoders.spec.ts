import { encoders } from './reference/javascript/encoders.js';
import { parts, vectors } from './vectors.js';

/** The names of the vectors that an encoder does not agree with. */
function disagreements(encode: (typeof encoders)[string], among = vectors): string[] {
  return among.flatMap((vector) => {
    const id = encode(parts(vector));
    const said = [id.toString(), id.toString(16).padStart(16, '0'), id.toString(2).padStart(64, '0')];
    const wanted = [vector.decimal, vector.hex, vector.binary.replaceAll(' ', '')];
    return said.every((text, at) => text === wanted[at]) ? [] : [vector.name];
  });
}

describe.each(Object.entries(encoders))('an encoder of a few lines, by %s', (_name, encode) => {
  it('composes every vector', () => {
    expect(disagreements(encode)).toEqual([]);
  });

  it('notices a wrong vector (control)', () => {
    const [first, ...rest] = vectors.slice(1);
    const wrong = { ...first!, decimal: (BigInt(first!.decimal) ^ 4096n).toString() };
    expect(disagreements(encode, [wrong, ...rest])).toEqual([wrong.name]);
  });
});
