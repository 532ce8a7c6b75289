import type { Page } from 'playwright-core';
import { expectValue, expectWords } from './support/expect-page.js';
import { clickUntilSaid } from './support/said.js';
import { SpecPage } from './support/spec-page.js';

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

/** As the page has it. Playwright hears of a change later. */
const hashOf = (page: Page): Promise<string> => page.evaluate(() => location.hash);

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
    await expectWords(page.locator('.id-title'), OTHER);
    await expectValue(page.getByRole('searchbox'), '3824');
    await page.locator('th[aria-sort=ascending]', { hasText: 'ID' }).waitFor();
    await expectLayout(page, 'twitter');
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
    await expectTyped(page, '');
  });

  it('times, as instants', async () => {
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

  it('demands of a layout', async () => {
    const { page } = await open('#/layouts');
    await page.getByLabel('Years').last().fill('77');
    await page.getByLabel('Tick (ms)').selectOption('10');
    await expectAddress(page, /years=77.*tick=10/);
    await page.reload();
    await expectValue(page.getByLabel('Years').last(), '77');
    await expectValue(page.getByLabel('Tick (ms)'), '10');
  });

  it('what is generated', async () => {
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
    await expectTyped(page, OTHER);
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
    await expectLayout(page, 'twitter');
    await page.goForward();
    await expectValue(page.getByLabel('Years').last(), '12');
    await page.goForward();
    await expectLayout(page, 'discord');
  });

  it('tell two texts and a cleared one apart', async () => {
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

  it('keep a text that is too long for a link, which a reload loses and says so', async () => {
    const { page } = await open('', { permissions: ['clipboard-read', 'clipboard-write'] });
    await paste(page, LONG);
    await page.getByText('The text is too long for a link').waitFor();
    expect((await hashOf(page)).length).toBeLessThan(500);
    await clickUntilSaid(page.getByRole('button', { name: 'Copy link' }), 'Too long for a link');
    await page.getByRole('link', { name: 'Time' }).click();
    await page.getByText('IDs to times').waitFor();
    await page.goBack();
    await page.getByText('Long texts').or(page.locator('.pasted')).first().waitFor();
    await page.getByText('IDs found').waitFor();
    // What the browser keeps of the entry, once the page has written its address.
    await page.waitForFunction(() => Reflect.get(Object(history.state), 'isPartial') === true);
    await page.reload();
    await page.getByText('so a reload loses it').waitFor();
    await page.fill('textarea', ID);
    await found(page, 1);
    await page.getByText('so a reload loses it').waitFor({ state: 'detached' });
  });
});

describe('a link', () => {
  it('with a question mark in its text is read whole', async () => {
    const { page } = await open(`#/decode?text=/orders/${ID}?x=1 ${OTHER}`);
    await expectTyped(page, `/orders/${ID}?x=1 ${OTHER}`);
  });

  it('to an ID that the text does not have shows the first one', async () => {
    const { page } = await open(`#/decode?text=${ID}&id=99`);
    await found(page, 1);
    await expectWords(page.locator('.id-title'), ID);
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
