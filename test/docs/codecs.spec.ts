import { randomBytes } from 'node:crypto';
import { BitLayout } from 'nestjs-snowflake/core';
import * as codecs from 'nestjs-snowflake/codecs';
import { obfuscatingCodec } from 'nestjs-snowflake/obfuscation';
import { codeIn } from './markdown.js';
import { PageCode } from './page-code.js';

const code = new PageCode('docs/reference/codecs.md');
const [table] = code.page.tablesUnder('All codecs');
const LONGEST = (2n ** 63n - 1n).toString();

/** Runs the first column of the table as code, with a key that NIST published for its samples. */
const CODECS: Readonly<Record<string, codecs.IdCodec<string> | codecs.IdCodec<Uint8Array>>> = {
  'decimalCodec()': codecs.decimalCodec(),
  'sortableDecimalCodec()': codecs.sortableDecimalCodec(),
  'hexCodec()': codecs.hexCodec(),
  'base32Codec()': codecs.base32Codec(),
  'base36Codec()': codecs.base36Codec(),
  'base62Codec()': codecs.base62Codec(),
  "prefixedCodec('ord')": codecs.prefixedCodec('ord'),
  'readableCodec(ids.layout)': codecs.readableCodec(new BitLayout()),
  'bytesCodec()': codecs.bytesCodec(),
  'obfuscatingCodec({ keys, current })': obfuscatingCodec({
    keys: { 1: '2b7e151628aed2a6abf7158809cf4f3cef4359d8d580aa4f7f036d6f04fc6a94' },
    current: 1,
  }),
};

afterAll(() => code.remove());

describe('the table of codecs', () => {
  const id = codeIn(table?.columns[1] ?? '')[0] ?? '';
  const rows = (table?.rows ?? []).map(([codec = '', text = '', length = '', order = '']) => ({
    code: codeIn(codec)[0] ?? '',
    text: codeIn(text)[0],
    length,
    order,
  }));

  it('lists every codec once, and no other', () => {
    expect(rows.map((row) => row.code).sort()).toEqual(Object.keys(CODECS).sort());
    const makers = rows.map((row) => row.code.replace(/\(.*/, ''));
    expect(makers.sort()).toEqual([...Object.keys(codecs), 'obfuscatingCodec'].sort());
  });

  it.each(rows)('has the text, the length and the order of $code', ({ code: name, text, length, order }) => {
    const codec = CODECS[name];
    const encoded = codec?.encode(id);
    expect(typeof encoded === 'string' ? encoded : undefined).toBe(text);
    const lengths = [codec?.encode(0n).length, codec?.encode(LONGEST).length];
    expect([...new Set(lengths)].join(' to ')).toBe(length);
    expect(codec?.preservesOrder ? 'yes' : 'no').toBe(order);
  });
});

describe('the page of codecs [promise: secrets]', () => {
  it('names every member of a codec', () => {
    const [members] = code.page.tablesUnder('Encode and decode');
    const named = members?.rows.flatMap(([member = '']) => codeIn(member)[0]?.replace(/\(.*/, '') ?? []);
    expect(named?.sort()).toEqual(Object.keys(codecs.hexCodec()).sort());
  });

  it('makes order numbers that decode, also those of an older key', async () => {
    process.env.ID_KEY_1 = randomBytes(32).toString('hex');
    process.env.ID_KEY_2 = randomBytes(32).toString('hex');
    const codec = await code.run<codecs.IdCodec<string>>('order-numbers.ts', 'orderNumbers');
    const id = '382475217496248322';
    expect(codec.encode(id)).toMatch(/^ord_2\w{11}$/);
    expect(codec.decode(codec.encode(id))).toBe(id);
    const before = obfuscatingCodec({ keys: { 1: process.env.ID_KEY_1 }, current: 1 });
    expect(codec.decode(`ord_${before.encode(id)}`)).toBe(id);
  });

  it('the spec has run every file of the page', () => {
    expect(code.notRun()).toEqual([]);
  });
});
