import type { Page } from 'playwright-core';
import { violationsOn } from '../../../../libs/snowflake-console/test/support/axe.js';
import { eventually } from '../../../../libs/snowflake-console/test/support/eventually.js';
import {
  expectCount,
  expectFocus,
  expectText,
  expectValue,
  expectWidth,
  expectWords,
} from '../../../../libs/snowflake-console/test/support/expect-page.js';
import { clickUntilShown } from '../../../../libs/snowflake-console/test/support/shown-words.js';
import { SpecPage } from '../../../../libs/snowflake-console/test/support/spec-page.js';

const ID = '382475217496248322';
const PAGES = ['decode', 'generate', 'layouts', 'time'] as const;
const LIST = Array.from({ length: 300 }, (_, index) =>
  String(BigInt(ID) + BigInt(index) * 4_194_304_000n),
).join('\n');

const { open } = new SpecPage('/under/a/path/');

/** Pastes a text, and waits until the page shows its IDs. */
async function paste(page: Page, text: string, found: number): Promise<void> {
  await page.fill('textarea', text);
  await expectText(page, `IDs found: ${found}.`);
}

/** Copies the link of the page. Returns the part of it that holds what is shown. */
async function copiedHash(page: Page): Promise<string> {
  await clickUntilShown(page.getByRole('button', { name: 'Copy link' }), 'Copied');
  return new URL(await page.evaluate(() => navigator.clipboard.readText())).hash;
}

describe('the page, as static files below a path, under a strict policy', () => {
  it.each(PAGES)('sends the page %s no request elsewhere, and breaks no rule of the policy', async (name) => {
    const { page, complaints } = await open(`#/${name}`);
    if (name === 'decode') await paste(page, LIST, 300);
    await page.waitForLoadState('networkidle');
    expect(complaints).toEqual([]);
  });

  it('hides what needs an app, and explains that at an address that needs one', async () => {
    const { page } = await open('#/workers');
    await expectText(page, 'No app answers at this address');
    const { page: other } = await open('#/generate');
    expect(await other.getByRole('link', { name: 'Workers' }).count()).toBe(0);
    expect(await other.getByText('From this app').count()).toBe(0);
  });

  it('keeps no cookie', async () => {
    const { page } = await open(`#/decode?text=${ID}`);
    expect(await page.context().cookies()).toEqual([]);
  });
});

describe('the page decode', () => {
  it('shows every field of one ID', async () => {
    const { page } = await open('', { timezoneId: 'Africa/Nairobi' });
    await paste(page, `order ${ID} was paid`, 1);
    await page.getByText('Bits and other forms').click();
    const details = await page.locator('.details').innerText();
    for (const part of [
      ID,
      '2026-11-21T10:19:57.897Z',
      'Africa/Nairobi',
      '13:19:57.897',
      '0SFjugjHF10',
      '17',
    ]) {
      expect(details).toContain(part);
    }
    await expectCount(page.locator('.bit'), 64);
  });

  it('finds the IDs of a long text, sorts and filters them', async () => {
    const { page } = await open();
    await paste(page, LIST, 300);
    await expectCount(page.locator('tbody tr'), 100);
    await expectCount(page.locator('th[aria-sort=ascending], th[aria-sort=descending]'), 0);
    const byId = page.locator('th .sort', { hasText: /^ID/ });
    await byId.click();
    await page.locator('th[aria-sort=ascending]').waitFor();
    await byId.click();
    await expectWords(page.locator('tbody .row-id').first(), String(BigInt(ID) + 299n * 4_194_304_000n));
    await byId.click();
    await expectWords(page.locator('tbody .row-id').first(), ID);
    await expectCount(page.locator('th[aria-sort=descending]'), 0);
    await page.getByRole('searchbox').fill('worker:18');
    await expectText(page, 'Shown: 0 of 300');
    await expectText(page, 'No ID matches the filter.');
    await page.getByRole('button', { name: 'Show all IDs' }).last().click();
    await expectText(page, 'Shown: 300 of 300');
  });

  it('takes typed text while it decodes a paste of 10,000 lines', async () => {
    const { page } = await open();
    const lines = Array.from({ length: 34 }, () => LIST).join('\n');
    // As a paste does it. Typing as many lines into a text area takes Chromium itself half a minute.
    await page.locator('textarea').evaluate((area: HTMLTextAreaElement, value) => {
      area.value = value;
      area.dispatchEvent(new InputEvent('input', { bubbles: true }));
    }, lines);
    await page.locator('textarea').press('End');
    await page.locator('textarea').pressSequentially(` and ${ID}`);
    await expectText(page, 'Repeats: 9,901.');
  });

  it('shows hostile text as text', async () => {
    const { page, complaints } = await open();
    const hostile = `<img src=x onerror="document.title='owned'"> <script>document.title='owned'</script> a_0SFjugjHF10 ${ID}`;
    // Both are the same ID.
    await paste(page, hostile, 1);
    await eventually(async () => expect(await page.title()).toBe('Decode · nestjs-snowflake'));
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('warns of an ID that JavaScript rounded, and of another layout', async () => {
    const { page } = await open();
    const rounded = [1, 2, 3].map((step) => String(Number(ID) + step * 4_194_304_000));
    await paste(page, rounded.join('\n'), 3);
    await page.locator('.row-id').first().click();
    await expectText(page, 'JavaScript has probably rounded these IDs');
    await paste(page, '0x7fffffffffffffff', 1);
    await expectText(page, 'lies in the future');
  });

  it('opens a link with the same order, filter and ID', async () => {
    const { page } = await open('#/decode', { permissions: ['clipboard-read', 'clipboard-write'] });
    await paste(page, LIST, 300);
    await page.getByRole('searchbox').fill('worker:17');
    await page.getByRole('button', { name: 'Time (' }).click();
    await page.locator('th[aria-sort=ascending]').waitFor();
    await page.getByRole('button', { name: 'Time (' }).click();
    const last = String(BigInt(ID) + 299n * 4_194_304_000n);
    await expectWords(page.locator('tbody .row-id').first(), last);
    await page.locator('tbody .row-id').first().click();
    await expectWords(page.locator('.row-id[aria-expanded=true]'), last);
    const { page: other } = await open(await copiedHash(page));
    await expectText(other, 'IDs found: 300');
    await expectValue(other.getByRole('searchbox'), 'worker:17');
    await expectWords(other.locator('.row-id[aria-expanded=true]'), last);
    await expectWords(other.locator('tbody .row-id').first(), last);
  });

  it('puts a long text beside the text area, where it can be removed', async () => {
    const { page } = await open();
    await paste(page, ID, 1);
    await page.getByRole('button', { name: 'Add more' }).click();
    const long = `${LIST.replaceAll(/^/gm, 'order paid by the customer ')}\n`.repeat(5);
    await page.locator('textarea').evaluate((area: HTMLTextAreaElement, value) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', value);
      area.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, long);
    await expectText(page, 'IDs found: 300. Lines: 1,502. Repeats: 1,201.');
    expect((await page.inputValue('textarea')).trim()).toBe(ID);
    await page.getByRole('button', { name: 'Remove' }).click();
    await expectText(page, 'IDs found: 1.');
  });
});

describe('the other pages', () => {
  it('generates the IDs that its fields describe', async () => {
    const { page } = await open('#/generate');
    await page.getByLabel('Worker', { exact: true }).fill('17');
    await page.getByLabel('How many').fill('3');
    await expectText(page, 'IDs: 3');
    const ids = (await page.locator('.output').innerText()).split('\n');
    expect(ids).toHaveLength(3);
    const { page: decoding } = await open(`#/decode?text=${ids[2]}`);
    await decoding.getByText('Bits and other forms').click();
    await expectText(decoding, 'Worker 17');
    await expectText(decoding, 'Sequence 2');
  });

  it('proposes a layout, or explains why there is none', async () => {
    const { page } = await open('#/layouts');
    await expectText(page, 'The default layout fits:');
    await page.getByText('Widths for these values only').click();
    await expectText(page, 'layout: { timestampBits: 43, workerBits: 11, sequenceBits: 9, tickMs: 1 }');
    await page.getByLabel('Years').last().fill('1000');
    await page.getByLabel('IDs per second per worker').last().fill('10000000');
    await page.getByLabel('Processes at once').last().fill('1000000');
    await expectText(page, 'more than the 63 bits of an ID');
    await expectCount(page.getByLabel('Suggested layout'), 0);
  });

  it('opens the proposed layout on the page decode', async () => {
    const { page } = await open('#/layouts');
    await page.getByText('Widths for these values only').click();
    await page.getByRole('link', { name: 'Decode with this layout' }).click();
    await expectValue(page.locator('.layout-picker select'), 'custom');
    await expectValue(page.getByLabel('Timestamp bits'), '43');
  });
});

describe('the static page for all viewers', () => {
  it.each([
    ['zh-CN', '解码'],
    ['sw-KE', 'Simbua'],
    ['en-GB', 'Decode'],
    ['fr-FR', 'Decode'],
  ])('greets a browser in %s with its language', async (locale, title) => {
    const { page } = await open('', { locale });
    await expectWords(page.locator('h1').first(), title);
  });

  it.each(['zh', 'sw'])('fits every page on a phone in %s', async (locale) => {
    for (const name of PAGES) {
      const { page } = await open(`#/${name}`, { locale, viewport: { width: 360, height: 700 } });
      await expectWidth(page, 360);
    }
  });

  it('prints what was decoded, without the controls', async () => {
    const { page } = await open(`#/decode?text=${ID}`);
    await expectText(page, 'IDs found: 1');
    await page.emulateMedia({ media: 'print' });
    await page.locator('.details').waitFor();
    for (const control of ['nav', 'textarea', '.layout-picker', '.preferences', '.copy-icon']) {
      await page.locator(control).first().waitFor({ state: 'hidden' });
    }
  });

  it.each(PAGES)('passes axe on %s in both themes, and fits on a phone', async (name) => {
    const { page } = await open(`#/${name}`);
    if (name === 'decode') await paste(page, `${LIST}\n-${ID}`, 301);
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 });
      await expectWidth(page, width);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect([width, colorScheme, await violationsOn(page)]).toEqual([width, colorScheme, []]);
      }
    }
  });

  it('fails axe with a picture that has no text (control)', async () => {
    const { page } = await open();
    await page.evaluate(() => document.querySelector('main')!.append(new Image()));
    expect(await violationsOn(page)).toEqual([expect.stringContaining('image-alt')]);
  });

  it('moves the focus past the links into the page with the keyboard', async () => {
    const { page } = await open(`#/decode?text=${ID}`);
    await page.keyboard.press('Tab');
    await expectFocus(page.getByRole('link', { name: 'Skip to the content' }));
    await page.keyboard.press('Enter');
    await expectFocus(page.locator('main'));
    await page.keyboard.press('Tab');
    await expectFocus(page.locator('textarea'));
    await page.keyboard.press('Tab');
    await expectFocus(page.locator('.layout-picker select'));
  });
});
