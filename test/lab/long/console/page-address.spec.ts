import type { Page } from 'playwright-core';
import {
  expectText,
  expectValue,
  expectWords,
} from '../../../../libs/snowflake-console/test/support/expect-page.js';
import { clickUntilShown } from '../../../../libs/snowflake-console/test/support/shown-words.js';
import { SpecPage } from '../../../../libs/snowflake-console/test/support/spec-page.js';

const ID = '382475217496248322';
const OTHER = '382475217496248399';

const served = new SpecPage();
const { open } = served;

/** Waits until the address holds a text. */
async function expectAddress(page: Page, part: RegExp): Promise<void> {
  await page.waitForFunction(({ source }) => new RegExp(source).test(location.hash), { source: part.source });
}

async function paste(page: Page, text: string): Promise<void> {
  await page.locator('textarea').evaluate((area: HTMLTextAreaElement, value) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', value);
    area.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

const found = (page: Page, count: number): Promise<void> =>
  page.getByText(`IDs found: ${count.toLocaleString('en')}.`).waitFor();
async function expectTyped(page: Page, text: string): Promise<void> {
  await page.waitForFunction((wanted) => document.querySelector('textarea')?.value === wanted, text);
}

const expectLayout = (page: Page, name: string): Promise<void> =>
  expectValue(page.locator('.layout-picker select').first(), name);

/** Returns the address from the page itself, because Playwright's copy is updated later. */
const hashOf = (page: Page): Promise<string> => page.evaluate(() => location.hash);

/** Lines that no compression makes short. */
const LONG = Array.from(
  { length: 40_000 },
  (_, index) => `${(BigInt(index) * 2_654_435_761_123n) % 10n ** 14n} ${BigInt(ID) + BigInt(index) ** 3n}`,
).join('\n');

/** Chooses another layout, and waits until the address holds it, as it then holds all that it will. */
async function expectLayoutInAddress(page: Page, name: string): Promise<void> {
  await page.locator('.layout-picker select').selectOption(name);
  await expectAddress(page, new RegExp(`layout=${name}`));
}

describe('a text and the address of the page', () => {
  const CARD = '4111111111111111';
  const TOKEN = 'Bearer-c2VjcmV0';
  const LINES = `${ID} paid by ${CARD}\n${TOKEN} ${OTHER} mia@example.com\n492475217496248324`;

  it('keeps a typed text out of the address, and shows it again after a reload with the same sorting and filter', async () => {
    const { page } = await open();
    await page.fill('textarea', LINES);
    await found(page, 3);
    await page.getByRole('searchbox').fill('3824');
    await page.locator('th .sort', { hasText: /^ID/ }).click();
    await page.locator('.row-id').nth(1).click();
    await expectLayoutInAddress(page, 'twitter');
    await expectWords(page.locator('.row-id[aria-expanded=true]'), OTHER);
    expect(await hashOf(page)).toBe('#/decode?layout=twitter');
    await page.reload();
    await found(page, 3);
    await expectTyped(page, LINES);
    await expectWords(page.locator('.row-id[aria-expanded=true]'), OTHER);
    await expectValue(page.getByRole('searchbox'), '3824');
    await page.locator('th[aria-sort=ascending]', { hasText: 'ID' }).waitFor();
    await expectLayout(page, 'twitter');
  });

  it('keeps a long text out of the address, and shows it again after a reload', async () => {
    const { page } = await open();
    await paste(page, LONG);
    await found(page, 40_000);
    await expectLayoutInAddress(page, 'twitter');
    expect(await hashOf(page)).toBe('#/decode?layout=twitter');
    await page.reload();
    await found(page, 40_000);
    // It is in this tab, and in no other.
    const { page: other } = await open(await hashOf(page));
    await expectTyped(other, '');
  });

  it('keeps the text of a field out of the address unless it is an ID', async () => {
    const { page } = await open('#/time');
    await page.getByLabel('First ID').fill(TOKEN);
    await page.getByLabel('Last ID').fill(OTHER);
    await expectAddress(page, new RegExp(`last=${OTHER}`));
    expect(await hashOf(page)).not.toContain(TOKEN);
  });

  it('puts the text into a copied link, and confirms it on the button', async () => {
    const { page } = await open('', { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.fill('textarea', LINES);
    await found(page, 3);
    const button = page.getByRole('button', { name: 'Copy link with this text' });
    await clickUntilShown(button, 'Copied');
    const link = await page.evaluate(() => navigator.clipboard.readText());
    const { page: other } = await open(new URL(link).hash);
    await expectTyped(other, LINES);
    await paste(page, LONG);
    await found(page, 40_000);
    await clickUntilShown(button, 'Too long for a link');
  });

  it('leaves the text of a link in the address until it is changed', async () => {
    const { page } = await open(`#/decode?text=${ID}`);
    await found(page, 1);
    await expectLayoutInAddress(page, 'twitter');
    await expectAddress(page, new RegExp(`text=${ID}`));
    await page.fill('textarea', OTHER);
    await page.waitForFunction(() => !location.hash.includes('text'));
    expect(await hashOf(page)).toBe('#/decode?layout=twitter');
  });
});

describe('the address after a change on the page', () => {
  it('keeps a cleared text cleared after a reload', async () => {
    const { page } = await open(`#/decode?text=${ID}&filter=3`);
    await found(page, 1);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.waitForFunction(() => !location.hash.includes('text'));
    await page.reload();
    await page.getByPlaceholder('Paste one ID or thousands').waitFor();
    await expectTyped(page, '');
  });

  it('holds entered times as instants', async () => {
    const { page } = await open('#/time', { timezoneId: 'Asia/Shanghai' });
    await page.getByLabel('From').fill('2026-11-21T18:00');
    await page.getByLabel('To, excluded').fill('2026-11-21T19:00');
    await page.getByLabel('Column').fill('shop.order');
    await page.getByLabel('Database').selectOption('mysql');
    await page.getByLabel('First ID').fill(ID);
    await expectAddress(page, /from=2026-11-21T10%3A00%3A00.000Z&to=2026-11-21T11.*first=3824/);
    const { page: other } = await open(await hashOf(page), { timezoneId: 'Africa/Nairobi' });
    await other.getByText('WHERE shop.`order` >= 382470193152000000').waitFor();
    await expectValue(other.getByLabel('From'), '2026-11-21T13:00');
    await expectValue(other.getByLabel('First ID'), ID);
  });

  it('holds the demands of a layout', async () => {
    const { page } = await open('#/layouts');
    await page.getByLabel('Years').last().fill('77');
    await page.getByRole('combobox', { name: 'Tick (ms)' }).selectOption('10');
    await expectAddress(page, /years=77.*tick=10/);
    await page.reload();
    await expectValue(page.getByLabel('Years').last(), '77');
    await expectValue(page.getByRole('combobox', { name: 'Tick (ms)' }), '10');
  });

  it('holds what is generated, so that a reload shows the same IDs', async () => {
    const { page } = await open('#/generate');
    await page.getByLabel('How many').fill('3');
    await page.getByLabel('Worker', { exact: true }).fill('9');
    await page.getByLabel('Format').selectOption('hex');
    await expectAddress(page, /worker=9.*count=3.*format=hex/);
    const before = await page.locator('.output').innerText();
    expect(before).toMatch(/^[0-9a-f]{16}\n[0-9a-f]{16}\n[0-9a-f]{16}$/);
    await page.reload();
    await expectWords(page.locator('.output'), before);
  });
});

describe('the buttons Back and Forward', () => {
  it('brings the edit of a linked text back', async () => {
    const { page } = await open(`#/decode?text=${ID}`);
    await found(page, 1);
    await page.fill('textarea', OTHER);
    // At once, before the address is current.
    await page.getByRole('link', { name: 'Layouts' }).click();
    await page.getByRole('heading', { name: 'Layouts', level: 1 }).waitFor();
    await page.goBack();
    await found(page, 1);
    await expectTyped(page, OTHER);
  });

  it('shows the layout and the values that each entry of the history had', async () => {
    const { page } = await open('#/decode');
    await page.locator('.layout-picker select').selectOption('twitter');
    await page.getByRole('link', { name: 'Layouts' }).click();
    await page.getByLabel('Years').last().fill('12');
    await expectAddress(page, /years=12/);
    await page.getByRole('link', { name: 'Decode', exact: true }).click();
    await page.locator('.layout-picker select').selectOption('discord');
    await page.goBack();
    await page.goBack();
    await expectLayout(page, 'twitter');
    await page.goForward();
    await expectValue(page.getByLabel('Years').last(), '12');
    await page.goForward();
    await expectLayout(page, 'discord');
  });

  it('restores each of two texts and a cleared one', async () => {
    const { page } = await open(`#/decode?text=${ID}`);
    await found(page, 1);
    await page.goto(`${served.url}#/decode?text=${OTHER}`);
    await expectTyped(page, OTHER);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.goBack();
    await expectTyped(page, ID);
    await page.goForward();
    await expectTyped(page, '');
  });

  it('keeps a text that is too long for a link when one goes back', async () => {
    const { page } = await open();
    await paste(page, LONG);
    await found(page, 40_000);
    await page.getByRole('link', { name: 'Time' }).click();
    await page.getByText('IDs to times').waitFor();
    await page.goBack();
    await page.locator('.pasted').waitFor();
    await expectText(page, 'IDs found: 40,000.');
  });
});

describe('a link to the console', () => {
  it('keeps a question mark in the text of a link', async () => {
    const { page } = await open(`#/decode?text=/orders/${ID}?x=1 ${OTHER}`);
    await expectTyped(page, `/orders/${ID}?x=1 ${OTHER}`);
  });

  it('shows the first ID if the text of a link lacks the chosen one', async () => {
    const { page } = await open(`#/decode?text=${ID}&id=99`);
    await found(page, 1);
    await expectWords(page.locator('.details .fact').first().locator('dd > span'), ID);
  });

  it('sends nothing of a text in a link to any server', async () => {
    const { page, complaints } = await open();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(`${served.url}#/decode?text=${ID}`);
    await found(page, 1);
    await page.reload();
    await found(page, 1);
    expect(requests).not.toEqual([]);
    expect(requests.filter((url) => url.includes(ID))).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
