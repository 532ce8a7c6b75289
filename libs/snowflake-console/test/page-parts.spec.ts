import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { BitLayout, IdDecoder, layoutPresets } from 'nestjs-snowflake/core';
import { offlineIds } from '../page/src/generate/offline-ids.js';
import { CODE_LANGUAGES, decodeCode, formulaOf } from '../page/src/layouts/decode-code.js';
import { missesOf } from '../page/src/layouts/fit.js';
import { factsOf } from '../page/src/layouts/layout-facts.js';
import {
  compressed,
  expanded,
  textOfParameters,
  textParameters,
  textParametersIn,
} from '../page/src/state/compressed.js';
import { addressOf, routeOf } from '../page/src/state/route.js';
import { rangeCondition } from '../page/src/time/range-sql.js';
import { stepAt, stepsTo } from '../page/src/ui/slider-steps.js';
import { en, MESSAGE_FILES, messagesIn } from './support/messages.js';

describe('generated IDs', () => {
  const layout = new BitLayout({ workerBits: 4, sequenceBits: 2 });
  const decoder = new IdDecoder(layout);

  it('generates ascending IDs that go on in the next tick after the last sequence', () => {
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

  it('refuses to generate IDs with a field that does not fit', () => {
    const wrong = { layout, timeMs: Date.now(), datacenterId: 0, workerId: 16, sequence: 0, count: 1 };
    expect(() => offlineIds(wrong)).toThrow(/workerId/);
    expect(() => offlineIds({ ...wrong, workerId: 0, timeMs: Number.NaN })).toThrow(/tick/);
  });
});

describe('the facts of a layout', () => {
  it('names the first instant whose IDs JavaScript rounds', () => {
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
        const before = new IdDecoder(layout).lastIdAt(new Date(layout.startOfTick(tick - 1)));
        expect(BigInt(before)).toBeLessThanOrEqual(BigInt(Number.MAX_SAFE_INTEGER));
      }
    }
  });
});

describe('whether a layout fits', () => {
  const facts = factsOf(new BitLayout());
  const needs = { years: 56, workers: 200, idsPerSecondPerWorker: 50_000, epoch: '2024-01-01T00:00:00Z' };

  it('names all that a layout is too small for', () => {
    expect(missesOf(facts, needs)).toEqual([]);
    expect(missesOf(facts, { ...needs, workers: 1025 })).toEqual(['workers']);
    expect(missesOf(facts, { ...needs, idsPerSecondPerWorker: 4_096_001, years: 70 })).toEqual([
      'rate',
      'end',
    ]);
  });
});

describe('the code that decodes without the library', () => {
  const idOf = (layout: BitLayout): string =>
    layout.compose({ tick: 91_234_567, workerId: layout.maxWorkerId, sequence: 2 }).toString();
  const layouts = [
    new BitLayout(),
    ...Object.values(layoutPresets).map(({ layout, epoch }) => new BitLayout(layout, epoch)),
  ];

  it('returns in JavaScript and in Python what the library does, for every published layout', () => {
    for (const layout of layouts) {
      const ID = idOf(layout);
      const { timestampMs, workerId, sequence } = new IdDecoder(layout).decode(ID);
      const names = ['time', 'workerId', 'sequence'].filter(
        (name) => name !== 'workerId' || layout.maxWorkerId > 0,
      );
      const run = new Function(
        `${decodeCode(layout, 'JavaScript', ID)}\nreturn [${names.join(', ')}].map(Number);`,
      );
      const values = [timestampMs, ...(layout.maxWorkerId > 0 ? [workerId] : []), sequence];
      expect((run as () => number[])()).toEqual(values);
      const python = `${decodeCode(layout, 'Python', ID)}\nprint(ms, ${layout.maxWorkerId > 0 ? 'worker_id, ' : ''}sequence)`;
      expect(execFileSync('python3', ['-c', python], { encoding: 'utf8' }).trim()).toBe(values.join(' '));
    }
  });

  it('contains the same numbers in every language', () => {
    for (const layout of layouts) {
      for (const language of CODE_LANGUAGES) {
        const code = decodeCode(layout, language, idOf(layout));
        expect([language, code]).toEqual([language, expect.stringContaining(String(layout.epochMs))]);
        expect(code).toContain(String(layout.maxSequence));
      }
      expect(formulaOf(layout)).toContain(`& ${layout.maxSequence}`);
    }
  });
});

describe('a condition in SQL', () => {
  const range = { first: '1', before: '2' };

  it.each([
    ['id', 'WHERE id >= 1 AND id < 2'],
    ['orders.id', 'WHERE orders.id >= 1 AND orders.id < 2'],
    ['public.orders.id', 'WHERE public.orders.id >= 1 AND public.orders.id < 2'],
    ['id; DROP TABLE', 'WHERE "id; DROP TABLE" >= 1 AND "id; DROP TABLE" < 2'],
    ['a"b', 'WHERE "a""b" >= 1 AND "a""b" < 2'],
    ['a..b', 'WHERE "a..b" >= 1 AND "a..b" < 2'],
  ])('writes the condition for the column %s', (column, condition) => {
    expect(rangeCondition(range, column)).toBe(condition);
  });

  it.each([
    ['order', '"order"', '`order`'],
    ['shop.user.id', 'shop."user".id', 'shop.`user`.id'],
    ['Orders.Id', '"Orders"."Id"', '`Orders`.`Id`'],
    ['1id', '"1id"', '`1id`'],
    ['`order items`.id', '"order items".id', '`order items`.id'],
    ['"a.b".id', '"a.b".id', '`a.b`.id'],
    ['a`b', '"a`b"', '`a``b`'],
    ['naïve', '"naïve"', '`naïve`'],
  ])('quotes the parts of the column %s that need it', (column, standard, mysql) => {
    expect(rangeCondition(range, column)).toBe(`WHERE ${standard} >= 1 AND ${standard} < 2`);
    expect(rangeCondition(range, column, 'mysql')).toBe(`WHERE ${mysql} >= 1 AND ${mysql} < 2`);
  });

  it('never lets the name of a column end its quotes', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('standard' as const, 'mysql' as const), (name, dialect) => {
        const condition = rangeCondition(range, name, dialect);
        const mark = dialect === 'mysql' ? '`' : '"';
        const quoted = new RegExp(`${mark}([^${mark}]|${mark}{2})*${mark}`, 'g');
        expect(condition.replaceAll(quoted, 'q')).toMatch(/^WHERE [\w.]+ >= 1 AND [\w.]+ < 2$/);
      }),
    );
  });
});

describe('the text in a link', () => {
  it('unpacks the text of a link as it was', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
        const link = await compressed(text);
        expect(link).toMatch(/^[\w-]*$/);
        expect(await expanded(link, 1_000_000)).toBe(text);
      }),
    );
  });

  it('reads a short and a long text back from the parameters of an address', async () => {
    for (const text of ['', 'a ? b & c', `${'382475217496248322\n'.repeat(3000)}?`]) {
      const parameters = await textParameters(text);
      const { parameters: read } = routeOf(addressOf('decode', parameters));
      expect((await textOfParameters(textParametersIn(read) ?? {})) ?? '').toBe(text);
    }
  });

  it('leaves a text out of an address that it would make too long', async () => {
    const random = Array.from({ length: 200_000 }, (_, index) => ((index * 7919) % 9973).toString(36)).join(
      '',
    );
    expect(await textParameters('x'.repeat(1_000_001))).toBeUndefined();
    expect(await textParameters(randomText(400_000))).toBeUndefined();
    expect((await textParameters(random))?.['z']?.length ?? 0).toBeLessThanOrEqual(200_000);
  });

  it('keeps a question mark in a text', async () => {
    const { parameters } = routeOf('#/decode?text=/orders/382475217496248322?x=1 382475217496248399');
    expect(parameters.get('text')).toBe('/orders/382475217496248322?x=1 382475217496248399');
  });

  it('refuses a packed text that is damaged or grows beyond its bound', async () => {
    const bomb = await compressed('0'.repeat(1_000_000));
    expect(bomb.length).toBeLessThan(2000);
    await expect(expanded(bomb, 10_000)).rejects.toThrow('longer than 10000 bytes');
    await expect(expanded('not deflated', 10_000)).rejects.toThrow();
  });
});

/** A text that can't be compressed. The same each time. */
function randomText(length: number): string {
  let state = 1;
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return String.fromCodePoint(33 + (state % 90));
  }).join('');
}

describe('a slider', () => {
  it.each([10, 1000, 1_000_000, 10_000_000])(
    'gives each step of a slider another value, up to %i',
    (most) => {
      const steps = stepsTo(most);
      expect(steps[0]).toBe(1);
      expect(steps.at(-1)).toBe(most);
      expect(steps.length).toBeLessThan(700);
      for (const [index, step] of steps.slice(1).entries()) expect(step).toBeGreaterThan(steps[index] ?? 0);
      for (const [index, step] of steps.entries()) expect(stepAt(steps, step)).toBe(index);
    },
  );

  it('rounds a value between two steps down to the lower one', () => {
    expect(stepsTo(1000)[stepAt(stepsTo(1000), 999)]).toBe(990);
    expect(stepAt(stepsTo(1000), Number.NaN)).toBe(0);
  });
});

describe('the messages of the page', () => {
  const baseOf = (key: string): string => key.replace(/\.(one|other)$/, '');
  const placeholders = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map(String).sort();

  it('has messages in English, Chinese and Swahili', () => {
    expect(MESSAGE_FILES).toEqual(expect.arrayContaining(['en.json', 'sw.json', 'zh.json']));
  });

  it.each(MESSAGE_FILES)('has every message in %s, with the same values in it', (file) => {
    const messages = messagesIn(file);
    expect([...new Set(Object.keys(messages).map(baseOf))].sort()).toEqual(
      [...new Set(Object.keys(en).map(baseOf))].sort(),
    );
    for (const [key, text] of Object.entries(en)) {
      if (key in messages)
        expect([key, placeholders(messages[key] ?? '')]).toEqual([key, placeholders(text)]);
    }
  });

  it.each(MESSAGE_FILES)('has every form of a count in %s, and no other', (file) => {
    const messages = messagesIn(file);
    const language = file.replace('.json', '');
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories.toSorted();
    const counted = Object.keys(messages).filter((key) => /\.(one|other)$/.test(key));
    expect(counted.length).toBeGreaterThan(5);
    for (const base of new Set(counted.map(baseOf))) {
      expect([base, counted.filter((key) => baseOf(key) === base)]).toEqual([
        base,
        forms.map((form) => `${base}.${form}`),
      ]);
    }
  });

  it('has the messages in the order of the alphabet, so that translators find them', () => {
    for (const file of MESSAGE_FILES) {
      const keys = Object.keys(messagesIn(file));
      expect(keys).toEqual([...keys].sort());
    }
  });

  it('uses every message', () => {
    const folder = fileURLToPath(new URL('../page/src', import.meta.url));
    const sources = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(({ name }) => /\.tsx?$/.test(name))
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
      .join('\n');
    const prefixes = [...sources.matchAll(/`((?:\w+\.)+)\$\{/g)].map(([, prefix]) => prefix ?? '');
    const isUsed = (key: string): boolean =>
      sources.includes(`'${baseOf(key)}'`) || prefixes.some((prefix) => key.startsWith(prefix));
    expect(Object.keys(en).filter((key) => !isUsed(key))).toEqual([]);
  });

  it('offers a language as soon as its file exists', () => {
    const languages = readFileSync(new URL('../page/src/messages/languages.ts', import.meta.url), 'utf8');
    expect(languages).toContain("import.meta.glob<string>('./*.json'");
    expect(languages).not.toMatch(/zh|sw/);
  });
});
