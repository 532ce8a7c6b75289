import { BitLayout } from 'nestjs-snowflake/core';
import * as codecs from 'nestjs-snowflake/codecs';
import { obfuscatingCodec } from 'nestjs-snowflake/obfuscation';
import { codeIn, MarkdownPage } from './markdown.js';

const readme = MarkdownPage.read('README.md');
const [table] = readme.tablesUnder('Codecs');
const LONGEST = (2n ** 63n - 1n).toString();

/** What the first column of the table says, as code; with a key that NIST published for its samples. */
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

describe('the table of codecs', () => {
  const id = codeIn(table?.columns[1] ?? '')[0] ?? '';
  const rows = (table?.rows ?? []).map(([code = '', text = '', length = '', order = '']) => ({
    code: codeIn(code)[0] ?? '',
    text: codeIn(text)[0],
    length,
    order,
  }));

  it('has every codec once, and no other', () => {
    expect(rows.map(({ code }) => code).sort()).toEqual(Object.keys(CODECS).sort());
    const makers = rows.map(({ code }) => code.replace(/\(.*/, ''));
    expect(makers.sort()).toEqual([...Object.keys(codecs), 'obfuscatingCodec'].sort());
  });

  it.each(rows)('is right about $code', ({ code, text, length, order }) => {
    const codec = CODECS[code];
    const encoded = codec?.encode(id);
    expect(typeof encoded === 'string' ? encoded : undefined).toBe(text);
    const lengths = [codec?.encode(0n).length, codec?.encode(LONGEST).length];
    expect([...new Set(lengths)].join(' to ')).toBe(length);
    expect(codec?.preservesOrder ? 'yes' : 'no').toBe(order);
  });
});
