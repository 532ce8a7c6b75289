import { inspect } from 'node:util';
import { base62Codec, hexCodec } from '../core/codecs/index.js';
import { InvalidOptionError } from '../core/index.js';
import { obfuscatingCodec, type ObfuscatingCodecOptions, type ObfuscationKeys } from './index.js';

const KEY_1 = 'e0c1a92f6b7d4835f1029c3a5d7e6b48170f2d3c4b5a69788796a5b4c3d2e1f0';
const KEY_2 = '2b7e151628aed2a6abf7158809cf4f3cef4359d8d580aa4f7f036d6f04fc6a94';

describe('the options of the obfuscating codec [promise: secrets]', () => {
  const secret = 'do-not-show-this';
  const keyed = (key: unknown): ObfuscatingCodecOptions => ({ keys: { 1: key as string }, current: 1 });

  it.each<[string, unknown, string]>([
    ['a short text', secret, 'keys.1 must be 64 hexadecimal digits (given: "a string of 16 characters")'],
    ['half a key', KEY_1.slice(32), 'must be 64 hexadecimal digits'],
    ['two keys', KEY_1 + KEY_2, 'must be 64 hexadecimal digits'],
    ['other letters', KEY_1.replace('e', 'g'), 'must be 64 hexadecimal digits'],
    ['a key with a line end', `${KEY_1}\n`, 'must be 64 hexadecimal digits'],
    ['16 bytes', Buffer.from(KEY_1.slice(32), 'hex'), 'is not 32 bytes long (given: "16 bytes")'],
    ['no bytes', Buffer.alloc(0), 'is not 32 bytes long'],
    ['zeros', Buffer.alloc(32), 'repeats its bytes'],
    ['zeros in hex', '0'.repeat(64), 'repeats its bytes'],
    ['one byte repeated', 'ab'.repeat(32), 'repeats its bytes'],
    ['a pattern', '0123456789abcdef'.repeat(4), 'repeats its bytes'],
    ['hex taken for bytes', Buffer.from(KEY_1.slice(32)), 'is not random'],
    ['a pass phrase', Buffer.from('correct horse battery staple 123'), 'consists of printable characters'],
    ['a number', 7, 'must be a Uint8Array or a string'],
    ['nothing', undefined, 'must be a Uint8Array or a string'],
    ['null', null, 'must be a Uint8Array or a string'],
    ['an array', [1, 2, 3], 'must be a Uint8Array or a string'],
  ])('refuse %s', (_name, key, problem) => {
    expect(() => obfuscatingCodec(keyed(key))).toThrow(InvalidOptionError);
    expect(() => obfuscatingCodec(keyed(key))).toThrow(problem);
    expect(() => obfuscatingCodec(keyed(key))).toThrow(/openssl rand -hex 32/);
  });

  it('shows no key in an error', () => {
    const hidden = [secret, KEY_1.slice(0, 60), Buffer.from(secret), { 1: KEY_1, 2: KEY_1 }, { x: KEY_1 }];
    for (const key of hidden) {
      const keys = typeof key === 'object' && !Buffer.isBuffer(key) ? key : { 1: key };
      const shown = [secret, KEY_1.slice(0, 8), Buffer.from(secret).toString('hex')];
      try {
        obfuscatingCodec({ keys: keys as ObfuscationKeys, current: 1 });
        throw new Error('was not refused');
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidOptionError);
        const text = inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error);
        for (const part of shown) expect(text.split('\n    at ')[0]).not.toContain(part);
      }
    }
    expect(
      inspect(obfuscatingCodec({ keys: { 1: KEY_1 }, current: 1 }), { depth: 9, showHidden: true }),
    ).not.toContain(KEY_1.slice(0, 8));
  });

  it.each<[string, unknown, string]>([
    ['no options', undefined, 'options must be an object'],
    ['no keys', { current: 1 }, 'keys must be an object of keys'],
    ['an empty list', { keys: {}, current: 1 }, 'keys has no key'],
    ['keys in an array', { keys: [KEY_1], current: 0 }, 'keys must be an object of keys'],
    ['one key in place of all', { keys: KEY_1, current: 1 }, 'keys must be an object of keys'],
    ['a version of two digits', { keys: { 10: KEY_1 }, current: 10 }, 'has a version that is not a digit'],
    ['a version by name', { keys: { a: KEY_1 }, current: 1 }, 'has a version that is not a digit'],
    ['one key twice', { keys: { 1: KEY_1, 2: KEY_1.toUpperCase() }, current: 1 }, 'is the same as keys.1'],
    ['no current version', { keys: { 1: KEY_1 } }, 'current is not the version of a key'],
    [
      'an unknown version',
      { keys: { 1: KEY_1 }, current: 2 },
      'current is not the version of a key (given: 2)',
    ],
    ['a version as text', { keys: { 1: KEY_1 }, current: '1' }, 'current is not the version of a key'],
    ['a misspelt option', { keys: { 1: KEY_1 }, current: 1, codec: hexCodec() }, 'Unknown option "codec"'],
    [
      'texts of several lengths',
      { keys: { 1: KEY_1 }, current: 1, text: base62Codec({ padded: false }) },
      'text writes strings of several lengths',
    ],
    [
      'an object instead of a codec',
      { keys: { 1: KEY_1 }, current: 1, text: 'base62' },
      'text must be a codec',
    ],
  ])('refuse %s', (_name, options, problem) => {
    expect(() => obfuscatingCodec(options as ObfuscatingCodecOptions)).toThrow(InvalidOptionError);
    expect(() => obfuscatingCodec(options as ObfuscatingCodecOptions)).toThrow(problem);
  });
});
