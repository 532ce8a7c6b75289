import { prefixedCodec } from '../codecs/prefixed-codec.js';
import { ClientIdReader } from './client-id-reader.js';
import type { ClientIdOptions } from './client-id-options.js';

const ID = '382475217496248322';
const MADE_MS = Date.parse('2026-11-21T10:19:57.897Z');
const clock = { now: () => MADE_MS };
const read = (value: unknown, options: ClientIdOptions = {}): unknown =>
  ClientIdReader.of(options, clock).read(value);

describe('an ID from a client', () => {
  it.each([ID, '0', '9223372036854775807'])('reads the client ID of %s', (text) => {
    expect(read(text)).toEqual({ id: text });
  });

  it.each([
    [undefined, 'is missing'],
    [null, 'is missing'],
    [2 ** 53, "is a JSON number, which can't hold 64 bits exactly"],
    [7, "is a JSON number, which can't hold 64 bits exactly"],
    [[ID], 'is not a string'],
    [{}, 'is not a string'],
    [true, 'is not a string'],
    ['', 'is empty'],
    ['9223372036854775808', 'exceeds 63 bits'],
    ['1e3', 'contains a character other than decimal digits'],
  ])('refuses the value %o', (value, problem) => {
    expect(read(value)).toEqual({ problem });
  });

  it('arrives in the notation of a codec', () => {
    const options = { codec: prefixedCodec('ord') };
    expect(read('ord_0SFjugjHF10', options)).toEqual({ id: ID });
    expect(read(ID, options)).toEqual({ problem: expect.stringMatching(/^\w/) });
  });

  it('lies within the bounds of time', () => {
    expect(read(ID, { madeFrom: MADE_MS, madeBefore: MADE_MS + 1, maxAheadMs: 0 })).toEqual({ id: ID });
    expect(read(ID, { madeFrom: MADE_MS + 1 })).toEqual({
      problem: 'is older than the IDs that are accepted here',
    });
    expect(read(ID, { madeBefore: MADE_MS })).toEqual({
      problem: 'is newer than the IDs that are accepted here',
    });
    const later = { now: () => MADE_MS - 1001 };
    expect(ClientIdReader.of({ maxAheadMs: 1000 }, later).read(ID)).toEqual({
      problem: 'has a time in the future',
    });
  });

  it('fits into the bit layout', () => {
    expect(read('9223372036854775807', { layout: 'sonyflake' })).toMatchObject({ id: expect.any(String) });
    expect(read('9223372036854775807', { layout: 'jsSafe53' })).toEqual({
      problem: expect.stringMatching(/beyond the end of the layout/),
    });
  });

  it('describes to the client what a valid ID is', () => {
    expect(ClientIdReader.of().message('customerId', 'is missing')).toBe(
      'customerId is not a valid ID: it is missing. Send the ID as the API returned it: a string of 1 to 19 digits, ' +
        'at most 9223372036854775807.',
    );
  });
});

describe('the options', () => {
  it.each([
    [{ madeFrom: 'yesterday' }, 'madeFrom'],
    [{ madeBefore: Number.NaN }, 'madeBefore'],
    [{ maxAheadMs: -1 }, 'maxAheadMs'],
    [{ layout: 'nobody' }, 'layout'],
    [{ codec: {} }, 'codec'],
    [{ codek: 1 }, 'codek'],
  ])('refuses the options %j', (options, option) => {
    expect(() => ClientIdReader.of(options as ClientIdOptions)).toThrow(
      expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION', option }),
    );
  });
});
