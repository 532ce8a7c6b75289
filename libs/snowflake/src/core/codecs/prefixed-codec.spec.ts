import { InvalidIdError, InvalidOptionError } from '../index.js';
import { base62Codec, type IdCodec, prefixedCodec } from './index.js';

const README_ID = '382475217496248322';

describe('the prefixed codec', () => {
  it.each([
    '',
    'Ord',
    'ord_',
    '_ord',
    '1rd',
    'o rd',
    'o-rd',
    'ö',
    'a'.repeat(64),
    'ord\n',
    null,
    undefined,
    7,
  ])('refuses the prefix %j', (prefix) => {
    expect(() => prefixedCodec(prefix as string)).toThrow(InvalidOptionError);
  });

  it.each([null, 'base62', {}, { encode: String }])('refuses the inner codec %j', (inner) => {
    expect(() => prefixedCodec('ord', inner as unknown as IdCodec<string>)).toThrow('inner must be a codec');
  });

  it('accepts prefixes of TypeID', () => {
    for (const prefix of ['o', 'ord', 'order_line', 'v2', 'a'.repeat(63)]) {
      const codec = prefixedCodec(prefix);
      expect(codec.decode(codec.encode(README_ID))).toBe(README_ID);
    }
  });

  it('shows the whole string, and which part is wrong', () => {
    const codec = prefixedCodec('ord');
    expect(() => codec.decode('inv_0SFjugjHF10')).toThrow('"inv_0SFjugjHF10" doesn\'t start with ord_');
    expect(() => codec.decode('ord_x')).toThrow('"ord_x" has a part after ord_ that is too short');
    expect(() => codec.decode('ord')).toThrow(InvalidIdError);
    expect(() => codec.decode('ORD_0SFjugjHF10')).toThrow(InvalidIdError);
  });

  it("rethrows errors that aren't about the string", () => {
    const broken: IdCodec<string> = {
      ...base62Codec(),
      decodeBigInt: () => {
        throw new TypeError('broken');
      },
    };
    expect(() => prefixedCodec('ord', broken).decode('ord_1')).toThrow(TypeError);
  });
});
