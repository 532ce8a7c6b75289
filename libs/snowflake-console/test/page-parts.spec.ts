import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { BitLayout, IdDecoder, layoutPresets } from 'nestjs-snowflake/core';
import { offlineIds } from '../page/src/generate/offline-ids.js';
import { factsOf } from '../page/src/layouts/layout-facts.js';
import { compressed, expanded } from '../page/src/state/compressed.js';
import { rangeCondition } from '../page/src/time/range-sql.js';

describe('generated IDs', () => {
  const layout = new BitLayout({ workerBits: 4, sequenceBits: 2 });
  const decoder = new IdDecoder(layout);

  it('ascend, and go on in the next tick after the last sequence', () => {
    const timeMs = Date.parse('2026-11-21T10:00:00Z');
    const ids = offlineIds({ layout, timeMs, datacenterId: 0, workerId: 9, sequence: 2, count: 7 });
    const fields = ids.map((id) => decoder.decode(id));
    expect(fields.map(({ timestampMs, sequence }) => [timestampMs - timeMs, sequence])).toEqual([
      [0, 2],
      [0, 3],
      [1, 0],
      [1, 1],
      [1, 2],
      [1, 3],
      [2, 0],
    ]);
    expect(fields.every(({ workerId }) => workerId === 9)).toBe(true);
  });

  it('are refused if a field does not fit', () => {
    const wrong = { layout, timeMs: Date.now(), datacenterId: 0, workerId: 16, sequence: 0, count: 1 };
    expect(() => offlineIds(wrong)).toThrow(/workerId/);
    expect(() => offlineIds({ ...wrong, workerId: 0, timeMs: Number.NaN })).toThrow(/tick/);
  });
});

describe('the facts of a layout', () => {
  it('name the first instant whose IDs JavaScript rounds', () => {
    for (const { layout: options, epoch } of Object.values(layoutPresets)) {
      const layout = new BitLayout(options, epoch);
      const { roundsFromMs } = factsOf(layout);
      if (roundsFromMs === undefined) {
        const last = { tick: layout.maxTick, workerId: layout.maxWorkerId, sequence: layout.maxSequence };
        const datacenterId = layout.maxDatacenterId;
        expect(layout.compose({ ...last, datacenterId })).toBeLessThanOrEqual(
          BigInt(Number.MAX_SAFE_INTEGER),
        );
      } else {
        const tick = layout.tickAt(roundsFromMs);
        const first = layout.compose({ tick, workerId: 0, sequence: 0 });
        expect(first).toBeGreaterThan(BigInt(Number.MAX_SAFE_INTEGER));
        const before = new IdDecoder(layout).lastIdAt(layout.startOfTick(tick - 1));
        expect(BigInt(before)).toBeLessThanOrEqual(BigInt(Number.MAX_SAFE_INTEGER));
      }
    }
  });
});

describe('a condition in SQL', () => {
  const range = { first: '1', before: '2' };

  it.each([
    ['id', 'WHERE id >= 1 AND id < 2'],
    ['orders.id', 'WHERE orders.id >= 1 AND orders.id < 2'],
    ['id; DROP TABLE', 'WHERE "id; DROP TABLE" >= 1 AND "id; DROP TABLE" < 2'],
    ['a"b', 'WHERE "a""b" >= 1 AND "a""b" < 2'],
  ])('for the column %s', (column, condition) => {
    expect(rangeCondition(range, column)).toBe(condition);
  });
});

describe('a text in a link', () => {
  it('comes back as it was', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
        const link = await compressed(text);
        expect(link).toMatch(/^[\w-]*$/);
        expect(await expanded(link, 1_000_000)).toBe(text);
      }),
    );
  });

  it('is refused if it grows beyond its bound, or is damaged', async () => {
    const bomb = await compressed('0'.repeat(1_000_000));
    expect(bomb.length).toBeLessThan(2000);
    await expect(expanded(bomb, 10_000)).rejects.toThrow('longer than 10000 bytes');
    await expect(expanded('not deflated', 10_000)).rejects.toThrow();
  });
});

describe('the messages', () => {
  const messagesIn = (language: string): Record<string, string> =>
    JSON.parse(readFileSync(new URL(`../page/src/messages/${language}.json`, import.meta.url), 'utf8'));
  const [en, zh, sw] = ['en', 'zh', 'sw'].map(messagesIn) as [
    Record<string, string>,
    Record<string, string>,
    Record<string, string>,
  ];
  const placeholders = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map(String).sort();

  it.each([
    ['Chinese', zh],
    ['Swahili', sw],
  ])('are complete in %s, with the same values in them', (_, messages) => {
    expect(Object.keys(messages).sort()).toEqual(Object.keys(en).sort());
    for (const [key, text] of Object.entries(en)) {
      expect([key, placeholders(messages[key] ?? '')]).toEqual([key, placeholders(text)]);
    }
  });

  it('are in the order of the alphabet, so that translators find them', () => {
    for (const messages of [en, zh, sw]) expect(Object.keys(messages)).toEqual(Object.keys(messages).sort());
  });

  it('are all in use', () => {
    const folder = fileURLToPath(new URL('../page/src', import.meta.url));
    const sources = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(({ name }) => /\.tsx?$/.test(name))
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
      .join('\n');
    const prefixes = [...sources.matchAll(/`((?:\w+\.)+)\$\{/g)].map(([, prefix]) => prefix ?? '');
    const isUsed = (key: string): boolean =>
      sources.includes(`'${key}'`) || prefixes.some((prefix) => key.startsWith(prefix));
    expect(Object.keys(en).filter((key) => !isUsed(key))).toEqual([]);
  });

  it('need one file a language, which nothing else names', () => {
    const languages = readFileSync(new URL('../page/src/messages/languages.ts', import.meta.url), 'utf8');
    expect(languages).toContain("import.meta.glob<Messages>('./*.json'");
    expect(languages).not.toMatch(/zh|sw/);
  });
});
