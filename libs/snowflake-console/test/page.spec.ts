// One pass through the page in a browser. `test/lab/long/console` has all the rest.
import type { Locator, Page } from 'playwright-core';
import { BitLayout } from 'nestjs-snowflake/core';
import { waitFor } from '../../../test/support/wait.js';
import type { WatchEvent, WorkerWatch } from '../src/api/console-api.js';
import { violationsOn } from './support/axe.js';
import type { Opened } from './support/browser.js';
import { eventually, TIMEOUT_MS } from './support/eventually.js';
import {
  expectCount,
  expectFocus,
  expectText,
  expectValue,
  expectWidth,
  expectWords,
} from './support/expect-page.js';
import { clickUntilShown } from './support/shown-words.js';
import { scriptedMaker, scriptedRegistry, ScriptedApp } from './support/scripted-app.js';
import { PAGE_FOLDER, SpecBrowser, SpecPage } from './support/spec-page.js';

const ID = '382475217496248322';
const LIST = Array.from({ length: 300 }, (_, index) =>
  String(BigInt(ID) + BigInt(index) * 4_194_304_000n),
).join('\n');
const HOSTILE = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] };

const browser = new SpecBrowser();

/** Goes to another page of the console, as a click on its link does. */
async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
}

/** Expects that no text of a test has become an element or run. */
async function expectOnlyText(page: Page): Promise<void> {
  expect(await page.locator('main img, main script').count()).toBe(0);
  expect(await page.title()).not.toContain('owned');
}

describe('the page as static files below a path, under a strict policy', () => {
  const { open } = new SpecPage('/under/a/path/', browser);

  it('decodes a pasted list, sorts and filters it, and shows it again after a reload', async () => {
    const { page, complaints } = await open('', { timezoneId: 'Africa/Nairobi' });
    await page.fill('textarea', `${LIST}\npaid by ${HOSTILE}`);
    await expectText(page, 'IDs found: 300.');
    await expectCount(page.locator('tbody tr'), 100);
    const byId = page.locator('th .sort', { hasText: /^ID/ });
    await byId.click();
    await page.locator('th[aria-sort=ascending]').waitFor();
    await byId.click();
    const last = String(BigInt(ID) + 299n * 4_194_304_000n);
    await expectWords(page.locator('tbody .row-id').first(), last);
    await page.getByRole('searchbox').fill(ID);
    await expectText(page, 'Shown: 1 of 300');
    await page.locator('tbody .row-id').first().click();
    const details = page.locator('.details');
    await details.getByText('Bits and other forms').click();
    for (const part of [
      '2026-11-21T10:19:57.897Z',
      'Africa/Nairobi',
      '13:19:57.897',
      '0SFjugjHF10',
      'Worker 17',
    ]) {
      await details.getByText(part).first().waitFor();
    }
    await page.locator('.layout-picker select').selectOption('twitter');
    await page.waitForFunction(() => location.hash === '#/decode?layout=twitter');
    await page.reload();
    await expectText(page, 'IDs found: 300.');
    await expectText(page, 'Shown: 1 of 300');
    await expectWords(page.locator('.row-id[aria-expanded=true]'), ID);
    await expectOnlyText(page);
    expect(complaints).toEqual([]);
  });

  it('copies a link that opens the same text and layout in another browser', async () => {
    const { page } = await open('#/decode', CLIPBOARD);
    await page.fill('textarea', LIST);
    await expectText(page, 'IDs found: 300.');
    await page.locator('.layout-picker select').selectOption('twitter');
    await clickUntilShown(page.getByRole('button', { name: 'Copy link' }), 'Copied');
    const link = await page.evaluate(() => navigator.clipboard.readText());
    const { page: other } = await open(new URL(link).hash);
    await expectText(other, 'IDs found: 300.');
    await expectValue(other.locator('.layout-picker select'), 'twitter');
  });

  it('generates IDs, proposes a layout, and turns a time range into SQL and back', async () => {
    const { page, complaints } = await open('#/generate', { timezoneId: 'Asia/Shanghai' });
    await page.getByLabel('Worker', { exact: true }).fill('17');
    await page.getByLabel('How many').fill('3');
    await expectText(page, 'IDs: 3');
    await expectCount(page.getByText('From this app'), 0);
    await goTo(page, 'Layouts');
    await expectText(page, 'The default layout fits: 1,024 worker IDs');
    await page.getByText('Widths for these values only').click();
    await expectText(page, 'layout: { timestampBits: 43, workerBits: 11, sequenceBits: 9, tickMs: 1 }');
    await page.getByLabel('Years').last().fill('0');
    await expectText(page, 'Correct the marked fields');
    await goTo(page, 'Time');
    await page.getByLabel('From').fill('2026-11-21T18:00');
    await page.getByLabel('To, excluded').fill('2026-11-21T19:00');
    await expectText(page, 'WHERE id >= 382470193152000000 AND id < 382485292646400000');
    await page.getByLabel('First ID').fill('382470193152000000');
    await page.getByLabel('Last ID').fill('382485292646399999');
    await page.getByRole('button', { name: 'Use as the time range' }).click();
    await expectValue(page.getByLabel('To, excluded'), '2026-11-21T19:00');
    await page.goBack();
    await expectValue(page.getByLabel('Years').last(), '0');
    expect(complaints).toEqual([]);
  });

  it('asks for a reload if the server no longer has the code of a page', async () => {
    const { page } = await open('#/decode');
    await page.route('**/layouts-page-*.js', (request) => request.abort());
    await goTo(page, 'Layouts');
    await expectText(page, 'Reload it');
    // Control: another page loads.
    await goTo(page, 'Time');
    await page.getByLabel('First ID').waitFor();
    await expectCount(page.getByRole('alert').filter({ hasText: 'Reload it' }), 0);
  });

  it('shows the page in the language of the browser until another one is chosen, which stays with the theme', async () => {
    const { page } = await open('', { locale: 'zh-CN' });
    await expectWords(page.locator('h1').first(), '解码');
    await page.locator('.preferences summary').click();
    await page.locator('.preferences select').first().selectOption('sw');
    await page.getByLabel('Mandhari').selectOption('dark');
    await page.reload();
    await expectWords(page.locator('h1').first(), 'Simbua');
    await eventually(async () => {
      const color = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      expect(color).toBe('rgb(16, 19, 24)');
    });
  });

  it('takes a paste at once, in the place of the text before it, or below it', async () => {
    const { page } = await open();
    const area = page.locator('textarea');
    await expectFocus(area);
    const paste = async (text: string): Promise<void> => {
      await page.evaluate((value) => navigator.clipboard.writeText(value), text);
      await area.press('ControlOrMeta+v');
    };
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await paste(ID);
    await expectValue(area, ID);
    await paste('382475217496248399');
    await expectValue(area, '382475217496248399');
    await page.getByRole('button', { name: 'Add more' }).click();
    await paste(ID);
    await expectText(page, 'IDs found: 2.');
    await area.press('ControlOrMeta+z');
    await expectText(page, 'IDs found: 1.');
  });

  it('folds repeats and card numbers of a log, and shows the names of its IDs', async () => {
    const { page } = await open();
    const line = (id: bigint): string => `info order=${id} parent="${ID}" card=4111111111111111`;
    await page.fill('textarea', [1n, 2n, 3n].map((step) => line(BigInt(ID) + step)).join('\n'));
    await expectText(page, 'IDs found: 4. Lines: 3. Repeats: 2. Card numbers hidden: 3.');
    await expectText(page, '×3');
    await page.getByRole('searchbox').fill('parent');
    await expectText(page, 'Shown: 1 of 4');
  });

  it('lets the keyboard skip its links, and reports a damaged link', async () => {
    const { page: damaged } = await open('#/decode?z=%F0%9F%98%80&layout=nobody');
    await expectText(damaged, 'this link is damaged.');
    await expectText(damaged, 'The layout “nobody” of the link is unknown.');
    const { page } = await open('#/time');
    await page.keyboard.press('Tab');
    await expectFocus(page.getByRole('link', { name: 'Skip to the content' }));
    await page.keyboard.press('Enter');
    await expectFocus(page.locator('main'));
    await page.keyboard.press('Tab');
    await expectFocus(page.locator('.layout-picker select'));
  });

  it('fits on a phone and passes axe on every page', async () => {
    const { page, complaints } = await open('', { viewport: { width: 360, height: 700 } });
    await page.fill('textarea', `${LIST}\n-${ID}`);
    await expectText(page, 'IDs found: 301.');
    await page.locator('.row-id').first().click();
    for (const name of ['Decode', 'Generate', 'Layouts', 'Time']) {
      if (name !== 'Decode') await goTo(page, name);
      await expectWidth(page, 360);
      expect([name, await violationsOn(page)]).toEqual([name, []]);
    }
    expect(complaints).toEqual([]);
  });
});

describe('the page in front of an app', () => {
  const NOW_MS = Date.parse('2026-11-23T10:00:00Z');
  let app: ScriptedApp;
  beforeEach(async () => {
    app = await ScriptedApp.start(PAGE_FOLDER, '/shop/snowflake/');
    app.send(later(0, {}));
  });
  afterEach(() => app.stop());

  /** An event of `afterMs` later, with other rows for some worker IDs. */
  function later(afterMs: number, change: Partial<Record<number, Partial<WorkerWatch>>>): WatchEvent {
    const base = scriptedRegistry(NOW_MS);
    const workers = base.workers.map((row) => ({ ...row, ...change[row.workerId] }));
    const nowMs = NOW_MS + afterMs;
    return { makers: [scriptedMaker('default', nowMs, { ...base, storeNowMs: nowMs, workers })] };
  }

  async function openWorkers(): Promise<Opened> {
    const opened = await browser.open(app.url, '#/workers');
    await opened.page.locator('.worker-grid').waitFor();
    return opened;
  }

  const cell = (page: Page, workerId: number): Locator =>
    page.locator(`.worker-grid [data-worker="${workerId}"]`);
  const statusOn = (page: Page): Locator => page.locator('.connection [role=status]').first();
  const expectStreams = (count: number): Promise<boolean> =>
    waitFor(
      () => `${count} streams, not ${app.openStreams}`,
      TIMEOUT_MS,
      () => app.openStreams === count,
    );

  it('shows all worker IDs with their holders, by the keyboard too, and the name of a holder as text', async () => {
    app.send(later(0, { 65: { holder: HOSTILE } }));
    const { page, complaints } = await openWorkers();
    await expectCount(page.locator('.worker-grid [role=gridcell]'), 1024);
    await eventually(async () => {
      const legend = (await page.locator('.legend').innerText()).replace(/\s+/g, ' ');
      expect(legend).toBe('This process 1 Held 569 Offline 43 Released 87 Never used 324');
    });
    await cell(page, 0).focus();
    for (const key of ['ArrowDown', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
    await expectFocus(cell(page, 65));
    const details = page.getByRole('group', { name: 'Worker ID 65' });
    await details.getByText('onerror').first().waitFor();
    await page.getByRole('searchbox').fill('onerror');
    await expectText(page, 'Shown: 1 of 700');
    await expectOnlyText(page);
    expect(await violationsOn(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('names the process that generated an ID, if the registry proves it, and leads to its worker ID', async () => {
    const layout = new BitLayout();
    const idOf = (time: string, workerId: number): string =>
      layout.compose({ tick: layout.tickAt(Date.parse(time)), workerId, sequence: 1 }).toString();
    const { page } = await browser.open(app.url, '#/decode');
    const { holder = 'missing' } = scriptedRegistry(NOW_MS).workers[65] ?? {};
    await page.fill('textarea', idOf('2026-11-23T09:59:50Z', 65));
    await page.locator('.origin', { hasText: holder }).getByText('generated this ID').waitFor();
    await page.fill('textarea', idOf('2026-11-22T10:00:00Z', 65));
    await expectText(page, 'A former holder generated this ID.');
    await page.fill('textarea', idOf('2026-11-23T09:59:50Z', 900));
    await expectText(page, 'No process of this namespace can have generated this ID.');
    // Control: with another layout, the registry says nothing about the ID.
    await page.locator('.layout-picker select').selectOption('twitter');
    await expectCount(page.locator('.origin'), 0);
    await page.locator('.layout-picker select').selectOption('app:default');
    await page.fill('textarea', idOf('2026-11-23T09:59:50Z', 65));
    await page.setViewportSize({ width: 1280, height: 420 });
    await page.getByRole('link', { name: 'Open worker' }).click();
    const row = page.getByRole('button', { name: 'Worker ID 65', exact: true });
    await eventually(async () => expect(await row.getAttribute('aria-expanded')).toBe('true'));
    await page.waitForFunction(() => location.hash.includes('worker=65'));
    const isSeen = async (): Promise<boolean> => {
      const { y = 0 } = (await page.locator('.unfolded').boundingBox()) ?? {};
      return y > 0 && y < 420;
    };
    await eventually(async () => expect(await isSeen()).toBe(true));
  });

  it('tells how many processes can start, and what is wrong, before all else', async () => {
    const { page } = await openWorkers();
    await expectText(page, '570 held · 43 offline · room for 454 of 1,024');
    await page.getByLabel('Processes to start').fill('454');
    await expectText(page, 'Fits.');
    await page.getByLabel('Processes to start').fill('455');
    await expectText(page, 'Does not fit. 1 of them wait');
    const [maker] = later(2000, {}).makers;
    app.send({ makers: [{ ...maker!, status: { ...maker!.status!, clockCorrectionMs: 480_000 } }] });
    await page.getByRole('alert').filter({ hasText: '(8 min behind)' }).waitFor();
    const status = { ...maker!.status!, state: 'degraded', idsLeft: 40_960_000 };
    app.send({ makers: [{ ...scriptedMaker('default', NOW_MS + 4000), status }] });
    await page.getByRole('alert').filter({ hasText: 'IDs left: 40,960,000.' }).waitFor();
    await expectText(page, 'Store can’t be read');
    await expectCount(page.getByText('Live', { exact: true }), 0);
  });

  it('lists windows that ran out and takeovers, and announces a lost connection until it is back', async () => {
    const { page } = await openWorkers();
    await expectText(page, 'No worker ID has lost its holder.');
    app.send(later(2000, { 1: { state: 'offline' } }));
    await expectText(page, 'Windows that ran out');
    app.send(later(4000, { 1: { holder: 'orders-99', fencingToken: 'c:orders-99@3' } }));
    await expectText(page, '→ orders-99');
    app.refusal = { status: 503, code: 'STOPPING' };
    app.dropStreams();
    await statusOn(page).filter({ hasText: 'Connection lost. You see the values from' }).waitFor();
    await expectCount(page.locator('.worker-grid [role=gridcell]'), 1024);
    app.refusal = undefined;
    await statusOn(page).filter({ hasText: 'Live' }).waitFor();
    await goTo(page, 'Time');
    await expectStreams(0);
  });

  it('has tabs for segments and series', async () => {
    const order = {
      tag: 'order',
      state: 'ready',
      left: 1812,
      highest: 9000,
      issued: 10,
      perSecond: 2,
    } as const;
    app.send({ ...app.event, segments: [{ ...order, lastsMs: 906_000 }] });
    const { page } = await openWorkers();
    await page.getByRole('tab', { name: 'Worker IDs' }).focus();
    await page.keyboard.press('ArrowRight');
    await expectText(page, '1,812');
    await page.keyboard.press('ArrowRight');
    await expectText(page, 'INV-{year}-{number:5}');
  });

  it('generates IDs with the chosen maker, decodes them with its layout, and shows what to do if the app refuses', async () => {
    const { page, complaints } = await browser.open(app.url, '#/generate');
    const panel = page.locator('section', { has: page.getByRole('heading', { name: 'From this app' }) });
    await panel.getByLabel('ID maker').selectOption('audit');
    await panel.getByLabel('How many').fill('3');
    await panel.getByRole('button', { name: 'Generate' }).click();
    await expectWords(panel.locator('.output'), '382475217496248322\n382475217496248323\n382475217496248324');
    expect(app.requests.map(({ body }) => body)).toEqual([{ maker: 'audit', count: 3 }]);
    expect(app.requests[0]?.headers['x-snowflake-console']).toBe('1');
    expect(complaints).toEqual([]);
    app.answer = () => ({
      status: 429,
      headers: { 'retry-after': '7' },
      body: { code: 'CODE', message: 'no' },
    });
    await panel.getByRole('button', { name: 'Generate' }).click();
    await page.getByRole('alert').filter({ hasText: 'Try again in 7 s.' }).waitFor();
    await panel.getByText('Decode these IDs').click();
    await expectText(page, 'IDs found: 3');
    await expectValue(page.locator('.layout-picker select'), 'app:audit');
  });
});
