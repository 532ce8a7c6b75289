import * as core from 'nestjs-snowflake/core';
import { obfuscatingCodec } from 'nestjs-snowflake/obfuscation';
import { codeIn, MarkdownPage } from './markdown.js';

const page = MarkdownPage.read('docs/guides/public-ids.md');
const [table] = page.tablesUnder('All codecs');
const LONGEST = (2n ** 63n - 1n).toString();

/** Runs the first column of the table as code, with a key that NIST published for its samples. */
const CODECS: Readonly<Record<string, core.IdCodec<string> | core.IdCodec<Uint8Array>>> = {
  'decimalCodec()': core.decimalCodec(),
  'sortableDecimalCodec()': core.sortableDecimalCodec(),
  'hexCodec()': core.hexCodec(),
  'base32Codec()': core.base32Codec(),
  'base36Codec()': core.base36Codec(),
  'base62Codec()': core.base62Codec(),
  "prefixedCodec('ord')": core.prefixedCodec('ord'),
  'readableCodec(ids.layout)': core.readableCodec(new core.BitLayout()),
  'uuidCodec()': core.uuidCodec(),
  'bytesCodec()': core.bytesCodec(),
  'obfuscatingCodec({ keys, current })': obfuscatingCodec({
    keys: { 1: '2b7e151628aed2a6abf7158809cf4f3cef4359d8d580aa4f7f036d6f04fc6a94' },
    current: 1,
  }),
};

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
    expect(makers.sort()).toEqual(
      [...Object.keys(core).filter((name) => name.endsWith('Codec')), 'obfuscatingCodec'].sort(),
    );
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

it('the page of codecs names every member of a codec', () => {
  const [members] = page.tablesUnder('Encode and decode');
  const named = members?.rows.flatMap(([member = '']) => codeIn(member)[0]?.replace(/\(.*/, '') ?? []);
  expect(named?.sort()).toEqual(Object.keys(core.hexCodec()).sort());
});
