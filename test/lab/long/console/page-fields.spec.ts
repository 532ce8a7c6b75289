import type { Locator, Page } from 'playwright-core';
import { violationsOn } from '../../../../libs/snowflake-console/test/support/axe.js';
import { eventually } from '../../../../libs/snowflake-console/test/support/eventually.js';
import {
  expectCount,
  expectFocus,
  expectText,
  expectValue,
} from '../../../../libs/snowflake-console/test/support/expect-page.js';
import { clickUntilShown } from '../../../../libs/snowflake-console/test/support/shown-words.js';
import { SpecPage } from '../../../../libs/snowflake-console/test/support/spec-page.js';

const ID = '382475217496248322';
const LIST = Array.from({ length: 30 }, (_, index) =>
  String(BigInt(ID) + BigInt(index) * 4_194_304_000n),
).join('\n');
const NEW_YORK = { timezoneId: 'America/New_York' };

const { open } = new SpecPage();

/** Returns the description of a field for screen readers, besides its name. */
const describedBy = (field: Locator): Promise<string> =>
  field.evaluate((element) =>
    (element.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent ?? '')
      .join(' ')
      .trim(),
  );

async function expectSaid(field: Locator, words: string): Promise<void> {
  await eventually(async () => expect(await describedBy(field)).toBe(words));
}

/** The first ID of the layout by default at a time. */
const idAt = (iso: string): bigint => BigInt(Date.parse(iso) - Date.UTC(2024, 0, 1)) << 22n;

describe('times around a change of the clocks', () => {
  it('turns the times of two IDs into a range that contains both', async () => {
    const [first, last] = [idAt('2026-11-01T06:30:00Z'), idAt('2026-11-01T06:45:00Z')];
    const { page } = await open('#/time', NEW_YORK);
    await page.getByLabel('First ID').fill(String(first));
    await page.getByLabel('Last ID').fill(String(last));
    await page.getByRole('button', { name: 'Use as the time range' }).click();
    await eventually(async () => {
      const sql = await page.locator('pre.output').innerText();
      const bounds = [...sql.matchAll(/\d{10,}/g)].map(([id]) => BigInt(id));
      expect(bounds).toEqual([first, last + (1n << 22n)]);
    });
    await expectSaid(page.getByLabel('From'), 'UTC−05:00 · 2026-11-01T06:30:00.000Z');
  });

  it('asks which of two instants is meant if the clocks show a time twice', async () => {
    const { page } = await open('#/time', NEW_YORK);
    await page.getByLabel('To, excluded').fill('2026-11-02T00:00');
    await page.getByLabel('From').fill('2026-11-01T01:30');
    await expectText(page, 'The clocks of America/New_York show this time twice.');
    await expectText(page, `WHERE id >= ${idAt('2026-11-01T05:30:00Z')}`);
    await page.getByRole('radio', { name: 'UTC−05:00' }).check();
    await expectText(page, `WHERE id >= ${idAt('2026-11-01T06:30:00Z')}`);
    expect(await violationsOn(page)).toEqual([]);
  });

  it('asks for another time if the clocks skip the entered one', async () => {
    const { page } = await open('#/time', NEW_YORK);
    await page.getByLabel('To, excluded').fill('2026-03-09T00:00');
    await page.getByLabel('From').fill('2026-03-08T02:30');
    await expectText(page, 'The clocks of America/New_York skip this time.');
    await expectCount(page.locator('pre.output'), 0);
    expect(await page.getByLabel('From').getAttribute('aria-invalid')).toBe('true');
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole('radio', { name: '03:30:00.000' }).press('Space');
    await expectText(page, `WHERE id >= ${idAt('2026-03-08T07:30:00Z')}`);
    await expectValue(page.getByLabel('From'), '2026-03-08T03:30');
    await expectFocus(page.getByLabel('From'));
  });

  it('takes times in UTC', async () => {
    const { page } = await open('#/time?from=2026-11-01T06:30:00Z&to=2026-11-01T06:45:00Z', NEW_YORK);
    await page.getByLabel('Enter times in').selectOption('UTC');
    await expectValue(page.getByLabel('From (UTC)'), '2026-11-01T06:30');
    await page.getByLabel('From (UTC)').fill('2026-11-01T06:00');
    await expectText(page, `WHERE id >= ${idAt('2026-11-01T06:00:00Z')}`);
  });

  it.each([
    ['2026-01-02T00:00', '2026-01-02T00:00', 'Both times are the same'],
    ['2026-01-03T00:00', '2026-01-02T00:00', 'The end is before the beginning.'],
    ['2020-01-01T00:00', '2021-01-01T00:00', 'The layout begins at 2024-01-01T00:00:00.000Z.'],
    ['2026-01-01T00:00', '2200-01-01T00:00', 'The layout ends at 2093-09-06'],
    ['2026-01-01T00:00', '12026-01-01T00:00', 'The layout ends at 2093-09-06'],
    ['2026-01-01T00:00', '275760-09-13T00:00', 'The layout ends at 2093-09-06'],
  ])('explains what is wrong with the range from %s to %s', async (from, to, words) => {
    const { page } = await open('#/time', { timezoneId: 'UTC' });
    await page.getByLabel('From').fill(from);
    await page.getByLabel('To, excluded').fill(to);
    await page.getByRole('alert').filter({ hasText: words }).waitFor();
    await expectCount(page.locator('pre.output'), 0);
  });
});

describe('a field with a wrong value', () => {
  it.each([
    ['Years', '0', 'from 1 to 1,000'],
    ['Years', '5000', 'from 1 to 1,000'],
    ['Years', '', 'from 1 to 1,000'],
    ['Processes at once', '1.5', 'from 1 to 1,000,000'],
  ])('shows no layout and marks the field for %s = "%s"', async (label, value, words) => {
    const { page } = await open('#/layouts');
    await page.getByText('The default layout fits:').waitFor();
    const field = page.getByLabel(label).last();
    await field.fill(value);
    await expectText(page, 'Correct the marked fields');
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await expectSaid(field, `Enter a whole number ${words}.`);
    await expectCount(page.getByLabel('Suggested layout'), 0);
    expect(await violationsOn(page)).toEqual([]);
  });

  it.each(['10001', '0', '-3', ''])(
    'shows no IDs and marks the field if their number is "%s"',
    async (value) => {
      const { page } = await open('#/generate');
      const field = page.getByLabel('How many');
      await field.fill(value);
      await expectText(page, 'Correct the marked fields');
      await expectSaid(field, 'Enter a whole number from 1 to 10,000.');
      await expectCount(page.locator('.output'), 0);
    },
  );

  it('shows no results while the layout is invalid', async () => {
    const { page } = await open(`#/decode?text=${ID}`);
    await page.locator('.details').waitFor();
    await page.locator('.layout-picker select').selectOption('custom');
    await page.getByLabel('Worker bits').fill('30');
    await expectText(page, 'the fields have 83 bits');
    await expectCount(page.locator('.details'), 0);
    await page.getByRole('link', { name: 'Time' }).click();
    const range = page.locator('section', { has: page.getByRole('heading', { name: 'Time range to IDs' }) });
    await range.getByText('The layout is not valid.').waitFor();
    await expectCount(page.locator('pre.output'), 0);
  });
});

describe('the language of the messages', () => {
  it.each([
    ['zh-CN', '#/generate?time=2020-01-01T00:00:00Z', '布局从 2024-01-01T00:00:00.000Z 开始'],
    ['sw-KE', '#/generate?time=', 'Weka wakati wa ID ya kwanza.'],
    ['zh-CN', '#/time?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z', '结束时间早于开始时间'],
    [
      'sw-KE',
      '#/layouts?years=1000&workers=100000&rate=10000',
      'Kwa pamoja haya yanahitaji zaidi ya biti 63',
    ],
    ['zh-CN', '#/time?first=abc', '不是有效的 ID'],
    ['sw-KE', '#/decode?layout=custom&widths=41.0.30.12.1', 'Sehemu zina jumla ya biti 83'],
    ['zh-CN', '#/decode?layout=custom&epoch=soon', '请输入带 Z 或时差的时间'],
  ])('shows the message for %s at %s in that language', async (locale, hash, words) => {
    const { page } = await open(hash, { locale });
    await expectText(page, words);
    expect(await page.locator('main').innerText()).not.toMatch(/Expected|must be|Use |Pass /);
  });

  it('stores the language only once it is chosen', async () => {
    const { page } = await open('', { locale: 'sw-KE' });
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
    await page.locator('.preferences summary').click();
    await page.getByLabel('Lugha').selectOption('zh');
    await eventually(async () =>
      expect(await page.evaluate(() => JSON.stringify(localStorage))).toBe(
        '{"snowflake-console:language":"zh"}',
      ),
    );
  });
});

describe('the copy buttons', () => {
  /** As over plain HTTP, where pages have no clipboard. */
  async function withoutClipboard(page: Page, hasCommand: boolean): Promise<void> {
    await page.evaluate((keeps) => {
      Object.assign(globalThis, { kept: navigator.clipboard });
      Object.defineProperty(navigator, 'clipboard', { value: undefined });
      if (!keeps) document.execCommand = () => false;
    }, hasCommand);
  }

  it('copies a text where the page has no clipboard', async () => {
    const { page } = await open(`#/decode?text=${ID}`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await withoutClipboard(page, true);
    await page.getByText('Bits and other forms').click();
    const button = page.getByRole('button', { name: 'Copy: hex' });
    await clickUntilShown(button, 'Copied');
    const { kept } = await page
      .evaluateHandle(() => globalThis as unknown as { kept: Clipboard })
      .then(async (handle) => ({
        kept: await handle.evaluate(({ kept: clipboard }) => clipboard.readText()),
      }));
    expect(kept).toBe('054ed32f12411002');
    await expectFocus(button);
  });

  it('selects the text if the browser refuses to copy it', async () => {
    const { page } = await open(`#/decode?text=${ID}`);
    await withoutClipboard(page, false);
    await page.getByRole('button', { name: 'Copy link' }).click();
    await expectText(page, 'Press Ctrl+C');
    await page.waitForFunction((id) => String(document.getSelection()).includes(`text=${id}`), ID);
    expect(await violationsOn(page)).toEqual([]);
    await page.keyboard.press('Tab');
    await expectCount(page.getByText('Press Ctrl+C'), 0);
  });
});

describe('the fields with the keyboard', () => {
  it('moves a slider to another value with each key, and has it read out', async () => {
    const { page } = await open('#/layouts?years=1&workers=1');
    for (const name of ['Years', 'Processes at once', 'IDs per second per worker']) {
      const slider = page.getByRole('slider', { name });
      const seen = new Set<string | null>([await slider.getAttribute('aria-valuetext')]);
      for (let press = 0; press < 4; press++) {
        await slider.press('ArrowRight');
        await eventually(async () => expect(seen).not.toContain(await slider.getAttribute('aria-valuetext')));
        seen.add(await slider.getAttribute('aria-valuetext'));
      }
    }
    await expectValue(page.getByLabel('Years').last(), '5');
  });

  it('unfolds the details of a row, and folds them again', async () => {
    const { page } = await open();
    await page.fill('textarea', LIST);
    const row = page.locator('.row-id').nth(20);
    await row.focus();
    await page.keyboard.press('Enter');
    await page.locator('.unfolded', { hasText: LIST.split('\n')[20] }).waitFor();
    await expectFocus(row);
    expect(await violationsOn(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await expectCount(page.locator('.unfolded'), 0);
  });

  it('goes to the filter with a slash, unless one types', async () => {
    const { page } = await open();
    await page.fill('textarea', LIST);
    await page.locator('.row-id').first().focus();
    await page.keyboard.press('/');
    await expectFocus(page.getByRole('searchbox'));
    await page.keyboard.type('a/b');
    await expectValue(page.getByRole('searchbox'), 'a/b');
  });
});

describe('a paste into the text area', () => {
  it('resets the filter that was for other IDs', async () => {
    const { page } = await open(`#/decode?text=${ID}%0A382475217496248399&filter=zzz&warned=1`);
    await expectText(page, 'No ID matches the filter.');
    await page.locator('textarea').evaluate((area: HTMLTextAreaElement, value) => {
      area.value = value;
      area.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertFromPaste' }));
    }, LIST);
    await expectText(page, 'Shown: 30 of 30');
  });

  it('lists the forms that it finds if a text has no ID', async () => {
    const { page } = await open('#/decode?text=hello');
    await expectText(page, 'the page finds numbers of 15 to 19 digits');
  });
});
