import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { closePages, openBrowser, type Opened, openPage, type PageOptions } from './support/browser.js';
import { FileServer } from './support/file-server.js';

const FOLDER = fileURLToPath(new URL('../dist/page', import.meta.url));
const ID = '382475217496248322';
const OTHER = '382475217496248399';

let browser: Browser;
let server: FileServer;

beforeAll(async () => {
  [browser, server] = await Promise.all([openBrowser(), FileServer.of(FOLDER, '/')]);
});
afterEach(closePages);
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const open = (hash = '', options: PageOptions = {}): Promise<Opened> =>
  openPage(browser, server.url, hash, options);

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

const layoutOf = (page: Page): Promise<string> => page.locator('.layout-picker select').first().inputValue();

/** Lines that no compression makes short. */
const LONG = Array.from(
  { length: 40_000 },
  (_, index) => `${(BigInt(index) * 2_654_435_761_123n) % 10n ** 14n} ${BigInt(ID) + BigInt(index) ** 3n}`,
).join('\n');

describe('the address holds what one sees, so a reload shows it again', () => {
  it('a typed text, the order, the filter, the chosen ID and the layout', async () => {
    const { page } = await open();
    await page.fill('textarea', `${ID}\n${OTHER}\n492475217496248324`);
    await found(page, 3);
    await page.getByRole('searchbox').fill('3824');
    await page.locator('th .sort').first().click();
    await page.locator('.row-id').nth(1).click();
    await page.locator('.layout-picker select').selectOption('twitter');
    await expectAddress(page, /layout=twitter.*sort=id.*filter=3824.*id=2.*text=/);
    await page.reload();
    await found(page, 3);
    expect(await page.locator('.id-title').innerText()).toBe(OTHER);
    expect(await page.getByRole('searchbox').inputValue()).toBe('3824');
    expect(await page.locator('th[aria-sort=ascending]').innerText()).toContain('ID');
    expect(await layoutOf(page)).toBe('twitter');
  });

  it('soon after it is typed', async () => {
    const { page } = await open();
    await page.fill('textarea', ID);
    await page.waitForTimeout(500);
    await page.reload();
    await found(page, 1);
    expect(await page.inputValue('textarea')).toBe(ID);
  });

  it('a log of 10,000 lines', async () => {
    const { page } = await open();
    const lines = Array.from(
      { length: 10_000 },
      (_, index) =>
        `2026-01-02T03:04:05.${index % 1000}Z INFO order ${BigInt(ID) + BigInt(index) ** 3n} created`,
    );
    await paste(page, lines.join('\n'));
    await found(page, 10_000);
    await expectAddress(page, /z=/);
    await page.reload();
    await found(page, 10_000);
    expect(await page.getByText('too long').count()).toBe(0);
  });

  it('a cleared text stays cleared', async () => {
    const { page } = await open(`#/decode?text=${ID}&filter=3`);
    await found(page, 1);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.waitForFunction(() => !location.hash.includes('text'));
    await page.reload();
    await page.getByText('Paste one ID or thousands').waitFor();
    expect(await page.inputValue('textarea')).toBe('');
  });

  it('times, as instants', async () => {
    const { page } = await open('#/time', { timezoneId: 'Asia/Shanghai' });
    await page.getByLabel('From').fill('2026-11-21T18:00');
    await page.getByLabel('To, excluded').fill('2026-11-21T19:00');
    await page.getByLabel('Column').fill('shop.order');
    await page.getByLabel('Database').selectOption('mysql');
    await page.getByLabel('First ID').fill(ID);
    await expectAddress(page, /from=2026-11-21T10%3A00%3A00.000Z&to=2026-11-21T11.*first=3824/);
    const { hash } = new URL(page.url());
    const { page: other } = await open(hash, { timezoneId: 'Africa/Nairobi' });
    await other.getByText('WHERE shop.`order` >= 382470193152000000').waitFor();
    expect(await other.getByLabel('From').inputValue()).toBe('2026-11-21T13:00');
    expect(await other.getByLabel('First ID').inputValue()).toBe(ID);
  });

  it('demands of a layout', async () => {
    const { page } = await open('#/layouts');
    await page.getByLabel('Years').last().fill('77');
    await page.getByLabel('Tick (ms)').selectOption('10');
    await expectAddress(page, /years=77.*tick=10/);
    await page.reload();
    expect(await page.getByLabel('Years').last().inputValue()).toBe('77');
    expect(await page.getByLabel('Tick (ms)').inputValue()).toBe('10');
  });

  it('what is generated', async () => {
    const { page } = await open('#/generate');
    await page.getByLabel('How many').fill('3');
    await page.getByLabel('Worker', { exact: true }).fill('9');
    await page.getByLabel('Format').selectOption('hex');
    await expectAddress(page, /worker=9.*count=3.*format=hex/);
    const before = await page.locator('.output').innerText();
    await page.reload();
    expect(await page.locator('.output').innerText()).toBe(before);
  });
});

describe('Back and Forward', () => {
  it('bring the edit of a linked text back', async () => {
    const { page } = await open(`#/decode?text=${ID}`);
    await found(page, 1);
    await page.fill('textarea', OTHER);
    // At once, before the address is current.
    await page.getByRole('link', { name: 'Layouts' }).click();
    await page.getByRole('heading', { name: 'Layouts', level: 1 }).waitFor();
    await page.goBack();
    await found(page, 1);
    expect(await page.inputValue('textarea')).toBe(OTHER);
    await expectAddress(page, new RegExp(`text=${OTHER}`));
  });

  it('show the layout and the values that each entry had', async () => {
    const { page } = await open('#/decode');
    await page.locator('.layout-picker select').selectOption('twitter');
    await page.getByRole('link', { name: 'Layouts' }).click();
    await page.getByLabel('Years').last().fill('12');
    await expectAddress(page, /years=12/);
    await page.getByRole('link', { name: 'Decode', exact: true }).click();
    await page.locator('.layout-picker select').selectOption('discord');
    await page.goBack();
    await page.goBack();
    expect(await layoutOf(page)).toBe('twitter');
    await page.goForward();
    expect(await page.getByLabel('Years').last().inputValue()).toBe('12');
    await page.goForward();
    expect(await layoutOf(page)).toBe('discord');
  });

  it('tell two texts and a cleared one apart', async () => {
    const { page } = await open(`#/decode?text=${ID}`);
    await found(page, 1);
    await page.goto(`${server.url}#/decode?text=${OTHER}`);
    await expectTyped(page, OTHER);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.goBack();
    await expectTyped(page, ID);
    await page.goForward();
    await expectTyped(page, '');
  });

  it('keep a text that is too long for a link, which a reload loses and says so', async () => {
    const { page } = await open('', { permissions: ['clipboard-read', 'clipboard-write'] });
    await paste(page, LONG);
    await page.getByText('The text is too long for a link').waitFor();
    expect(new URL(page.url()).hash.length).toBeLessThan(500);
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByRole('button', { name: 'Too long for a link' }).waitFor();
    await page.getByRole('link', { name: 'Time' }).click();
    await page.getByText('IDs to times').waitFor();
    await page.goBack();
    await page.getByText('Long texts').or(page.locator('.pasted')).first().waitFor();
    await page.getByText('IDs found').waitFor();
    await page.waitForTimeout(600);
    await page.reload();
    await page.getByText('so a reload loses it').waitFor();
    await page.fill('textarea', ID);
    await found(page, 1);
    expect(await page.getByText('so a reload loses it').count()).toBe(0);
  }, 60_000);
});

describe('a link', () => {
  it('with a question mark in its text is read whole', async () => {
    const { page } = await open(`#/decode?text=/orders/${ID}?x=1 ${OTHER}`);
    await expectTyped(page, `/orders/${ID}?x=1 ${OTHER}`);
  });

  it('to an ID that the text does not have shows the first one', async () => {
    const { page } = await open(`#/decode?text=${ID}&id=99`);
    await found(page, 1);
    expect(await page.locator('.id-title').innerText()).toBe(ID);
  });

  it('sends nothing of the text anywhere', async () => {
    const { page, complaints } = await open();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.fill('textarea', `${ID}\n${'x'.repeat(300)}`);
    await expectAddress(page, /z=/);
    await page.reload();
    await found(page, 1);
    expect(requests.filter((url) => url.includes(ID) || url.includes('z='))).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
