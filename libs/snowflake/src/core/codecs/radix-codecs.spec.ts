import fc from 'fast-check';
import { InvalidOptionError, MAX_ID } from '../index.js';
import {
  base32Codec,
  base36Codec,
  base62Codec,
  decimalCodec,
  hexCodec,
  type IdCodec,
  prefixedCodec,
  sortableDecimalCodec,
} from './index.js';

const README_ID = '382475217496248322';
const unpadded = { padded: false };
const ids = fc.bigInt({ min: 0n, max: MAX_ID });

describe('positional notation', () => {
  it.each([
    ['hex', hexCodec(), 16],
    ['base36', base36Codec(), 36],
    ['decimal', sortableDecimalCodec(), 10],
  ])('%s writes what JavaScript writes', (_name, codec, radix) => {
    fc.assert(
      fc.property(ids, (id) => {
        expect(codec.encode(id).replace(/^0+(?=.)/, '')).toBe(id.toString(radix));
      }),
    );
  });

  it.each([
    [0n, '00000000000'],
    [61n, '0000000000z'],
    [62n, '00000000010'],
    [62n ** 8n - 1n, '000zzzzzzzz'],
    [62n ** 8n, '00100000000'],
    [62n ** 10n, '10000000000'],
    [MAX_ID, 'AzL8n0Y58m7'],
  ])('encodes %d as %s in base 62', (id, text) => {
    expect(base62Codec().encode(id)).toBe(text);
  });

  it('refuses the first number that exceeds 63 bits, in every form', () => {
    const beyond: [IdCodec<string>, string][] = [
      [decimalCodec(), '9223372036854775808'],
      [sortableDecimalCodec(), '9223372036854775808'],
      [hexCodec(), '8000000000000000'],
      [base36Codec(), '1y2p0ij32e8e8'],
      [base62Codec(), 'AzL8n0Y58m8'],
      [base32Codec(), '8000000000000'],
      [prefixedCodec('ord'), 'ord_zzzzzzzzzzz'],
    ];
    for (const [codec, text] of beyond) expect(() => codec.decode(text)).toThrow(/exceeds 63 bits/);
  });

  it("reads Crockford's lower case and look-alikes, but no U, hyphen or check symbol", () => {
    const codec = base32Codec();
    const text = codec.encode(README_ID);
    for (const same of [text.toLowerCase(), text.replaceAll('0', 'O'), text.replaceAll('0', 'o')]) {
      expect(codec.decode(same)).toBe(README_ID);
    }
    for (const one of 'ILil1') expect(codec.decode(`000000000000${one}`)).toBe('1');
    for (const none of 'Uu-*~$=') expect(() => codec.decode(`000000000000${none}`)).toThrow(/can't read/);
    expect(base32Codec(unpadded).decode('o')).toBe('0');
    expect(() => base32Codec(unpadded).decode('O1')).toThrow(/leading zero/);
  });

  it.each([
    [base62Codec(), '', 'is empty'],
    [base62Codec(), '0SFjugjHF1', 'is too short'],
    [base62Codec(), '0SFjugjHF100', 'is too long'],
    [base62Codec(), '0SFjugjHF-0', "contains a character that this codec can't read"],
    [base62Codec(), '0SFjugjHFÖ0', "contains a character that this codec can't read"],
    [base62Codec(unpadded), '0SFjugjHF10', 'has a leading zero'],
    [hexCodec(), '054ED32F12411002', "contains a character that this codec can't read"],
  ])('says what is wrong and what to do', (codec, text, problem) => {
    expect(() => codec.decode(text)).toThrow(`Not a Snowflake ID: "${text}" ${problem}`);
    expect(() => codec.decode(text)).toThrow(
      /Pass a string from encode\(\): [\dto ]+ of the characters 0123/,
    );
  });

  it.each([{ padded: 1 }, { padded: 'yes' }, { pad: true }, null, [], 'padded'])(
    'refuses the options %p',
    (options) => {
      for (const make of [base32Codec, base36Codec, base62Codec]) {
        expect(() => make(options as object)).toThrow(InvalidOptionError);
      }
    },
  );
});
