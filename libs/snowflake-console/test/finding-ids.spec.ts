import fc from 'fast-check';
import { BitLayout } from 'nestjs-snowflake/core';
import { foundIdsIn, isInRange, MOST_IDS } from '../page/src/ids/found-ids.js';
import { bitsOf, CODEC_NAMES, textOf } from '../page/src/ids/texts-of-id.js';

const ID = '382475217496248322';

const idsIn = (text: string): string[] => foundIdsIn(text).ids.map(({ id }) => id);

describe('the search for IDs', () => {
  it.each([
    ['a list', `${ID}\n382475217496248323`, [ID, '382475217496248323']],
    ['CSV', `id,name,total\n${ID},"Chen, Ltd.",19.90\n`, [ID]],
    ['JSON', `{"id":"${ID}","at":1795256397897,"items":[${ID}]}`, [ID, ID]],
    ['a log line', `2026-11-22T10:19:57.897Z INFO [10.0.0.17:3000] order=${ID} took 12.5 ms`, [ID]],
    ['an address', `https://shop.example/orders/${ID}?page=2`, [ID]],
    ['a word with a hyphen', `order-${ID}`, [ID]],
    ['hexadecimal', '0x054ed32f12411002', [ID]],
    ['a text with a prefix', 'paid ord_0SFjugjHF10 today', [ID]],
    ['a bigint of JavaScript', `{ id: ${ID}n }`, [ID]],
    ['a UUID of this library', 'id: 054ed32f-1241-8100-8656-eda78e74889e', [ID]],
    ['a number with a prefix', `order_${ID}`, [ID]],
    ['a number with a longer prefix', `shop_order_${ID}, paid`, [ID]],
    ['a short number on a line of its own', '  4194304 ', ['4194304']],
  ])('finds the IDs in %s', (_, text, ids) => {
    expect(idsIn(text)).toEqual(ids);
  });

  it('finds IDs in the readable form if the layout is known', () => {
    const text = 'paid 20261121T101957897-0017-0002 today';
    expect(foundIdsIn(text, new BitLayout()).ids.map(({ id }) => id)).toEqual([ID]);
    expect(foundIdsIn(text, new BitLayout({ workerBits: 4 })).ids).toEqual([]);
    expect(idsIn(text)).toEqual([]);
  });

  it('finds IDs in every form that the page writes if the text is nothing else', () => {
    const layout = new BitLayout();
    const id = fc.bigInt(10n ** 15n, 2n ** 63n - 1n).map(String);
    fc.assert(
      fc.property(fc.array(id, { minLength: 1, maxLength: 5 }), (ids) => {
        for (const codec of CODEC_NAMES) {
          const texts = ids.map((each) => textOf(each, codec, layout));
          // The readable form ends with the year 9999.
          if (texts.includes(undefined)) continue;
          // Digits alone are a decimal number, whatever wrote them.
          if (!/decimal|readable/.test(codec) && !texts.some((text) => /[a-z]/i.test(text ?? ''))) continue;
          const found = foundIdsIn(texts.join('\n'), layout).ids.map((each) => each.id);
          expect([codec, found]).toEqual([codec, ids]);
        }
        expect(idsIn(ids.map(bitsOf).join('\n'))).toEqual(ids);
      }),
    );
  });

  it('finds IDs in a list with quotes, commas and empty lines', () => {
    expect(idsIn('\n"054ed32f12411002",\n\n"0000000000000017"\n')).toEqual([ID, '23']);
  });

  it('counts the lines of IDs whatever ends the lines', () => {
    expect(foundIdsIn(`a\r\n${ID}\r${ID}\n${ID}`).ids.map(({ line }) => line)).toEqual([2, 3, 4]);
  });

  it('finds an ID whatever punctuation surrounds it', () => {
    const punctuation = fc.string({ unit: fc.constantFrom(...' \t"\'()[]{}<>=,;:|/&?#!') });
    const id = fc.bigInt(10n ** 14n, 2n ** 63n - 1n).map(String);
    fc.assert(
      fc.property(punctuation, id, punctuation, (before, wanted, after) => {
        expect(idsIn(`${before}${wanted}${after}`)).toEqual([wanted]);
      }),
    );
  });
});

describe('the search for IDs in other numbers', () => {
  it.each([
    ['times', '1795256397897 and 2026-11-22T10:19:57.897123456Z'],
    ['amounts', 'total 1234567890123456.78 EUR'],
    ['UUIDs', '550e8400-e29b-41d4-a716-446655440000'],
    ['hashes', 'd41d8cd98f00b204e9800998ecf8427e'],
    ['bare words of a log', 'span 054ed32f12411002 took 0AKPK5W942402 and 0SFjugjHF10'],
    ['a list of words', 'information\ntemperature\nAMERICANIZE'],
    ['a word of eleven letters', 'information'],
    ['parts of words', 'x382475217496248322 382475217496248322y'],
    ['more digits than 64 bits have', '123456789012345678901'],
  ])('finds no ID in %s', (_, text) => {
    expect(idsIn(text)).toEqual([]);
  });
});

describe('the name of an ID', () => {
  it.each([
    [`order=${ID}`, 'order'],
    [`{"orderId": "${ID}"}`, 'orderId'],
    [`trace_id: ${ID}`, 'trace_id'],
    [`order_${ID}`, 'order'],
    [`https://shop.example/orders/${ID}`, undefined],
    [`at 10:${ID}`, undefined],
    [ID, undefined],
  ])('is what stands before it in %s', (text, key) => {
    expect(foundIdsIn(text).ids.map((found) => found.key)).toEqual([key]);
  });
});

describe('the search for IDs among card numbers and times', () => {
  it('leaves them out, and counts them', () => {
    const { ids, foreign } = foundIdsIn(
      `order=${ID} card=4111111111111111 amex 378282246310005 us=1795256397897123`,
    );
    expect(ids.map(({ id }) => id)).toEqual([ID]);
    expect(foreign).toEqual({ card: 2, time: 1 });
  });

  it('finds a number that somebody asks for by itself', () => {
    expect(idsIn('4111111111111111')).toEqual(['4111111111111111']);
  });

  it('finds IDs of an epoch that began a month ago, of which one in ten passes as a card', () => {
    const ids = Array.from({ length: 200 }, (_, index) =>
      String(4_111_111_111_110_000n + BigInt(index) * 7n),
    );
    const { foreign } = foundIdsIn(ids.map((id) => `id=${id}`).join('\n'));
    expect(foreign).toEqual({ card: 0, time: 0 });
  });
});

describe('the lines of a text', () => {
  it.each([
    ['', 0],
    [ID, 1],
    [`${ID}\n`, 1],
    [`${ID}\n${ID}\r\n`, 2],
    [`${ID}\n\n`, 2],
  ])('counts the lines of %j as %i', (text, lines) => {
    expect(foundIdsIn(text).lines).toBe(lines);
  });
});

describe('a text with very many IDs', () => {
  it('stops at the maximum number of IDs and marks the result as cut', () => {
    const text = `${ID}\n`.repeat(MOST_IDS + 1);
    expect(foundIdsIn(text)).toMatchObject({ isCut: true, lines: MOST_IDS + 1 });
    expect(foundIdsIn(text).ids).toHaveLength(MOST_IDS);
    expect(foundIdsIn(`${ID}\n`.repeat(MOST_IDS)).isCut).toBe(false);
  });
});

describe('the range of IDs', () => {
  it.each([
    ['0', true],
    ['9223372036854775807', true],
    ['9223372036854775808', false],
    ['18446744073709551615', false],
    ['-1', false],
  ])('takes %s for an ID: %s', (id, isId) => {
    expect(isInRange(id)).toBe(isId);
  });
});
