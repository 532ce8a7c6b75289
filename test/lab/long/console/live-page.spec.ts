import type { Locator, Page } from 'playwright-core';
import { waitFor } from '../../../support/wait.js';
import type {
  MakerWatch,
  RegistryWatch,
  SegmentWatch,
  WatchEvent,
  WorkerWatch,
} from '../../../../libs/snowflake-console/src/api/console-api.js';
import { violationsOn } from '../../../../libs/snowflake-console/test/support/axe.js';
import type { Opened, PageOptions } from '../../../../libs/snowflake-console/test/support/browser.js';
import { eventually } from '../../../../libs/snowflake-console/test/support/eventually.js';
import {
  expectCount,
  expectFocus,
  expectText,
  expectValue,
  expectWidth,
  expectWords,
} from '../../../../libs/snowflake-console/test/support/expect-page.js';
import { en } from '../../../../libs/snowflake-console/test/support/messages.js';
import { notedWords } from '../../../../libs/snowflake-console/test/support/shown-words.js';
import {
  scriptedMaker,
  scriptedRegistry,
  ScriptedApp,
} from '../../../../libs/snowflake-console/test/support/scripted-app.js';
import { PAGE_FOLDER, SpecBrowser } from '../../../../libs/snowflake-console/test/support/spec-page.js';

const NOW_MS = Date.parse('2026-11-23T10:00:00Z');
const TIMEOUT_MS = 30_000;

const SEGMENTS: readonly SegmentWatch[] = [
  { tag: 'order', state: 'ready', left: 1812, highest: 9000, issued: 10, perSecond: 2, lastsMs: 906_000 },
  {
    tag: '<b>x</b>',
    state: 'exhausted',
    left: 0,
    issued: 4,
    perSecond: 0,
    lastErrorCode: 'SNOWFLAKE_SEGMENT_EXHAUSTED',
  },
];

const browser = new SpecBrowser();
let app: ScriptedApp;

beforeEach(async () => {
  app = await ScriptedApp.start(PAGE_FOLDER, '/shop/snowflake/');
  app.send(eventOf(scriptedMaker('default', NOW_MS, scriptedRegistry(NOW_MS))));
});
afterEach(() => app.stop());

const open = (hash?: string, options?: PageOptions): Promise<Opened> => browser.open(app.url, hash, options);

const eventOf = (...makers: MakerWatch[]): WatchEvent => ({ makers });

/** An event of `afterMs` later, with other rows for some worker IDs. */
function later(
  afterMs: number,
  change: Partial<Record<number, Partial<WorkerWatch>>>,
  rest: Partial<RegistryWatch> = {},
) {
  const base = scriptedRegistry(NOW_MS);
  const workers = base.workers.map((row) => ({ ...row, ...change[row.workerId] }));
  const nowMs = NOW_MS + afterMs;
  return eventOf(scriptedMaker('default', nowMs, { ...base, ...rest, storeNowMs: nowMs, workers }));
}

async function openWorkers(options?: PageOptions): Promise<Opened> {
  const opened = await open('#/workers', options);
  // The map is folded if little is used.
  await opened.page.locator('.map').evaluate((map: HTMLDetailsElement) => {
    map.open = true;
  });
  await opened.page.locator('.worker-grid').waitFor();
  return opened;
}

const cell = (page: Page, workerId: number) => page.locator(`.worker-grid [data-worker="${workerId}"]`);

/** The part of the page that requests IDs from the app. The page shows it once the app has answered. */
const generatorOn = (page: Page): Locator =>
  page.locator('section', { has: page.getByRole('heading', { name: 'From this app' }) });

describe('the worker IDs on the live page', () => {
  it('shows 1,024 worker IDs on one screen, with a legend that counts them', async () => {
    const { page, complaints } = await openWorkers();
    await expectCount(page.locator('.worker-grid [role=gridcell]'), 1024);
    await eventually(async () => {
      const box = await page.locator('.worker-grid').boundingBox();
      expect(box!.height).toBeLessThan(500);
      const legend = (await page.locator('.legend').innerText()).replace(/\s+/g, ' ');
      expect(legend).toBe('This process 1 Held 569 Offline 43 Released 87 Never used 324');
      const labelOf = (workerId: number) => cell(page, workerId).getAttribute('aria-label');
      expect(await labelOf(41)).toMatch(/^Worker ID 41: This process, orders-/);
      expect(await labelOf(1000)).toBe('Worker ID 1000: Never used');
    });
    expect(complaints).toEqual([]);
  });

  it('reaches each worker ID by the keyboard, and shows its details', async () => {
    const { page } = await openWorkers({ timezoneId: 'Africa/Nairobi' });
    await cell(page, 0).focus();
    for (const key of ['ArrowDown', 'ArrowRight', 'ArrowRight', 'ArrowLeft', 'End', 'Home']) {
      await page.keyboard.press(key);
    }
    await page.keyboard.press('ArrowRight');
    await expectFocus(cell(page, 65));
    await page.keyboard.press('Enter');
    const details = page.getByRole('group', { name: 'Worker ID 65' });
    await details.getByText('Africa/Nairobi').first().waitFor();
    const { holder = 'missing' } = scriptedRegistry(NOW_MS).workers[65] ?? {};
    await details.getByText(holder).first().waitFor();
    await expectCount(page.locator('.worker-grid [tabindex="0"]'), 1);
    await page.keyboard.press('Control+End');
    await expectFocus(cell(page, 1023));
  });

  it('changes only the cells of worker IDs that have changed', async () => {
    const { page } = await openWorkers();
    await page.evaluate(() => {
      const touched: string[] = [];
      Object.assign(globalThis, { touched });
      new MutationObserver((records) => {
        for (const { target, type } of records) {
          touched.push(`${type} ${(target as HTMLElement).dataset?.['worker'] ?? target.nodeName}`);
        }
      }).observe(document.querySelector('.worker-grid')!, {
        subtree: true,
        attributes: true,
        childList: true,
        characterData: true,
      });
    });
    app.send(later(2000, { 1: { state: 'offline' }, 2: { holder: 'new', fencingToken: 'b:new@2' } }));
    await expectText(page, 'Offline 44');
    const { makers } = later(4000, {
      1: { state: 'offline' },
      2: { holder: 'new', fencingToken: 'b:new@2' },
    });
    const issued = 7_654_321;
    app.send({ makers: makers.map((maker) => ({ ...maker, status: { ...maker.status!, issued } })) });
    // This event has arrived, too.
    await expectText(page, '7,654,321');
    const touched = await page.evaluate(() => (globalThis as unknown as { touched: string[] }).touched);
    expect(new Set(touched)).toEqual(new Set(['attributes 1', 'attributes 2']));
    expect(touched).toHaveLength(3);
  });

  it('shows the worker IDs of a wide layout in pages', async () => {
    app.send(
      eventOf(
        scriptedMaker('default', NOW_MS, { ...scriptedRegistry(NOW_MS), first: 100, total: 4_194_304 }),
      ),
    );
    const { page } = await openWorkers();
    await expectText(page, '100 to 1123');
    await page.getByRole('button', { name: 'Next' }).click();
    await expectText(page, '1124 to 2147');
    await expectCount(page.locator('.worker-grid [role=gridcell]'), 1024);
    const wanted = page.getByLabel('Go to worker ID');
    await wanted.fill('2000000');
    await wanted.press('Enter');
    await expectText(page, '1999972 to 2000995');
    await page.getByRole('heading', { name: 'Worker ID 2000000' }).waitFor();
    await wanted.fill('99');
    await wanted.press('Enter');
    await eventually(async () =>
      expect(await wanted.evaluate((input: HTMLInputElement) => input.validity.rangeUnderflow)).toBe(true),
    );
    await expectText(page, '1999972 to 2000995');
  });

  it('counts the worker IDs that the app leaves out', async () => {
    app.send(eventOf(scriptedMaker('default', NOW_MS, { ...scriptedRegistry(NOW_MS), omitted: 24 })));
    const { page } = await openWorkers();
    await expectText(page, '24 more used worker IDs are not shown');
    await expectText(page, 'Never used 300');
  });

  it('shows how many processes wait for a worker ID, and for how long, while some wait', async () => {
    const registry = scriptedRegistry(NOW_MS);
    app.send(eventOf(scriptedMaker('default', NOW_MS, { ...registry, waiting: 12, longestWaitSeconds: 8 })));
    const { page } = await openWorkers();
    await expectText(page, '12 processes wait for a worker ID, the first for 8');
    app.send(eventOf(scriptedMaker('default', NOW_MS, registry)));
    await expectCount(page.getByText('wait for a worker ID'), 0);
  });

  it('reports the end of the list only if worker IDs are missing', async () => {
    const registry = { ...scriptedRegistry(NOW_MS, 1500), total: 4096, omitted: 24 };
    app.send(eventOf(scriptedMaker('default', NOW_MS, registry)));
    const { page } = await openWorkers();
    const end = page.locator('.map').getByText('list is cut off here');
    await page.locator('.services').getByText('list is cut off here').waitFor();
    await expectCount(end, 0);
    await page.getByRole('button', { name: 'Next' }).click();
    await end.waitFor();
    await page.getByRole('button', { name: 'Previous' }).click();
    await expectCount(end, 0);
  });

  it('marks unreadable worker IDs, and shows all others', async () => {
    const registry = { ...scriptedRegistry(NOW_MS), unreadable: ['1000', 'grantsAfter'] };
    app.send(eventOf(scriptedMaker('default', NOW_MS, registry)));
    const { page } = await openWorkers();
    await page.getByRole('alert').filter({ hasText: '1000, grantsAfter' }).waitFor();
    await expectText(page, 'Never used 323');
    await expectText(page, 'Unreadable 1');
    await cell(page, 1000).click();
    const details = page.getByRole('group', { name: 'Worker ID 1000' });
    await details.getByText('the holder is unknown').waitFor();
    await expectCount(details.getByText('No process has ever held it'), 0);
    expect(await violationsOn(page)).toEqual([]);
    app.send(eventOf(scriptedMaker('default', NOW_MS + 2000, scriptedRegistry(NOW_MS))));
    await expectCount(page.getByRole('alert'), 0);
    await expectCount(page.getByText('Unreadable'), 0);
  });

  it('explains why the table of worker IDs is empty', async () => {
    const { page } = await openWorkers();
    await page.getByRole('searchbox').fill('nobody');
    await expectText(page, 'No used worker ID matches.');
    app.send(eventOf(scriptedMaker('default', NOW_MS + 2000, scriptedRegistry(NOW_MS, 0))));
    await expectText(page, 'No process has ever held a worker ID of this namespace.');
  });
});

describe('what the live page lists while it watches', () => {
  it('lists windows that ran out, takeovers, another history and a wait', async () => {
    const { page } = await openWorkers();
    await expectText(page, 'No worker ID has lost its holder.');
    app.send(later(2000, { 1: { state: 'offline' } }));
    await expectText(page, 'Windows that ran out');
    app.send(
      later(
        4000,
        { 1: { holder: 'orders-99', fencingToken: 'c:orders-99@3' } },
        { historyId: 'another', grantsAfterMs: NOW_MS + 64_000 },
      ),
    );
    await expectText(page, 'repeats');
    await expectText(page, '→ orders-99');
    await expectText(page, 'part of its history. Signs: 1.');
    await expectText(page, 'the store grants only timestamps after');
  });

  it('lists the worker IDs that an emptied store has forgotten, as after FLUSHALL', async () => {
    const { page } = await openWorkers();
    await expectText(page, 'The history of the store has not changed');
    const emptied = { ...scriptedRegistry(NOW_MS, 0), storeNowMs: NOW_MS + 2000 };
    app.send(eventOf(scriptedMaker('default', NOW_MS + 2000, emptied)));
    await expectText(page, 'Worker IDs that the store has lost: 700.');
    await expectText(page, 'Lost by the store');
    await expectText(page, 'Shown: 50 of 570');
    await expectCount(page.getByText('has not changed'), 0);
  });

  it('shows nothing about the history before the store has been read', async () => {
    app.send(eventOf(scriptedMaker('default', NOW_MS)));
    const { page } = await open('#/workers');
    await expectText(page, 'The store can’t be read: SNOWFLAKE_STORE_UNAVAILABLE.');
    await expectCount(page.getByText(/has not changed|No worker ID has lost/), 0);
  });

  it('reports that the store can’t be read, and keeps the last values', async () => {
    const { page } = await openWorkers();
    app.send(eventOf(scriptedMaker('default', NOW_MS + 2000)));
    await expectText(page, 'The store can’t be read: SNOWFLAKE_STORE_UNAVAILABLE. You see the worker IDs of');
    await expectCount(page.locator('.worker-grid [role=gridcell]'), 1024);
  });

  it('shows the ID maker that is chosen', async () => {
    const registry = { ...scriptedRegistry(NOW_MS, 9), total: 256 };
    app.send(
      eventOf(
        scriptedMaker('default', NOW_MS, scriptedRegistry(NOW_MS)),
        scriptedMaker('audit', NOW_MS, registry),
      ),
    );
    const { page } = await openWorkers();
    await page.getByLabel('ID maker').selectOption('audit');
    await expectText(page, 'Worker IDs of the namespace: 256');
    await expectText(page, 'postgres namespace "audit"');
    await expectText(page, 'SNOWFLAKE_STORE_UNAVAILABLE × 2');
    // The other tabs show the whole app.
    await page.getByRole('tab', { name: 'Series' }).click();
    await expectText(page, 'Every year');
    await expectCount(page.getByLabel('ID maker'), 0);
  });

  it('draws the rate over the whole width, and no few bars that would be blocks', async () => {
    const { page } = await openWorkers();
    const first = scriptedMaker('default', NOW_MS, scriptedRegistry(NOW_MS));
    const sendAt = (reading: number): void => {
      const { status } = first;
      const issued = (status?.issued ?? 0) + reading;
      const hostNowMs = NOW_MS + reading * 2000;
      app.send(eventOf({ ...first, hostNowMs, status: status && { ...status, issued } }));
    };
    for (let reading = 1; reading <= 9; reading += 1) sendAt(reading);
    const nine = (scriptedMaker('default', NOW_MS).status?.issued ?? 0) + 9;
    await expectText(page, nine.toLocaleString('en-US'));
    const bars = page.locator('.rate rect');
    await expectCount(bars, 0);
    sendAt(10);
    await eventually(async () => {
      const places = await bars.evaluateAll((all) => all.map((bar) => Number(bar.getAttribute('x'))));
      expect(places).toEqual(Array.from({ length: 10 }, (_, index) => index * 60));
    });
    await expectText(page, 'IDs per second in the last 20 sec');
  });

  it('moves between the tabs of worker IDs, segments and series with arrow keys', async () => {
    app.send({
      ...app.event,
      segments: SEGMENTS,
    });
    const { page } = await openWorkers();
    await page.getByRole('tab', { name: 'Worker IDs' }).focus();
    await page.keyboard.press('ArrowRight');
    await expectText(page, '1,812');
    await page.keyboard.press('ArrowRight');
    await expectText(page, 'INV-{year}-{number:5}');
    await expectWords(page.getByRole('tab', { selected: true }), 'Series');
    await page.keyboard.press('ArrowRight');
    await page.locator('.worker-grid').waitFor();
  });
});

describe('the connection of the live page', () => {
  it('closes the connection while the tab is hidden, and opens it again', async () => {
    const { page } = await openWorkers();
    await expectStreams(1);
    await hide(page, true);
    await expectStreams(0);
    await expectText(page, 'Paused while the tab is hidden');
    await hide(page, false);
    await expectStreams(1);
    await expectText(page, 'Live');
  });

  it('does not announce a connection as lost when the app renews it', async () => {
    const { page } = await openWorkers();
    const status = page.locator('.connection [role=status]').first();
    await status.filter({ hasText: 'Live' }).waitFor();
    const words = await notedWords(status);
    const before = app.openedStreams;
    app.renewStreams();
    await waitFor('the stream to come again', TIMEOUT_MS, () => app.openedStreams > before);
    await expectStreams(1);
    // By what the new stream brings, the page has gone on.
    app.send(later(2000, { 1: { holder: 'orders-99' } }));
    await page.locator('.worker-grid [aria-label*="orders-99"]').waitFor();
    expect(app.openedStreams).toBe(before + 1);
    expect(new Set(await words.jsonValue())).toEqual(new Set(['Live']));
  });

  it.each([
    [503, 'CONSOLE_TOO_MANY_LISTENERS', 'maxListeners'],
    [503, 'CONSOLE_STOPPING', 'The app is stopping.'],
    [404, 'NOT_FOUND', 'Sign in to the app'],
    [401, 'UNAUTHORIZED', 'Sign in to the app'],
    [502, 'BAD_GATEWAY', 'refuses to send values'],
  ])('explains the refusal %i %s, with and without values on the page', async (status, code, words) => {
    app.refusal = { status, code };
    const { page } = await open('#/workers');
    const connection = page.locator('.connection [role=status]').first();
    await connection.filter({ hasText: words }).waitFor();
    expect(await connection.innerText()).not.toContain('You see the values from');
    app.refusal = undefined;
    await connection.filter({ hasText: 'Live' }).waitFor();
    // The connection is there before its first values.
    await expectCount(page.locator('.worker-grid [role=gridcell]'), 1024);
    app.refusal = { status, code };
    app.dropStreams();
    await connection.filter({ hasText: 'You see the values from' }).filter({ hasText: words }).waitFor();
  });
});

describe('IDs that the app makes for the page', () => {
  it('generates IDs by the chosen ID maker, and shows them in every format', async () => {
    const { page, complaints } = await open('#/generate');
    const panel = generatorOn(page);
    await panel.getByLabel('ID maker').selectOption('audit');
    await panel.getByLabel('How many').fill('3');
    await panel.getByRole('button', { name: 'Generate' }).click();
    await panel.getByText('IDs: 3').waitFor();
    await expectWords(panel.locator('.output'), '382475217496248322\n382475217496248323\n382475217496248324');
    await panel.getByLabel('Format').selectOption('hex');
    await panel.locator('.output', { hasText: '054ed32f12411002' }).waitFor();
    expect(app.requests.map(({ body }) => body)).toEqual([{ maker: 'audit', count: 3 }]);
    expect(app.requests[0]?.headers['x-snowflake-console']).toBe('1');
    await panel.getByText('Decode these IDs').click();
    await expectText(page, 'IDs found: 3');
    await expectValue(page.locator('.layout-picker select'), 'app:audit');
    expect(complaints).toEqual([]);
  });

  it.each([
    [400, {}, 'no (CODE)'],
    [401, {}, en['refused.401']!],
    [403, {}, en['refused.403']!],
    [404, {}, en['refused.404']!],
    [429, { 'retry-after': '7' }, '7 s'],
    [503, {}, '(CODE)'],
    [502, {}, '502'],
  ])('explains what to do if the app refuses IDs with %i', async (status, headers, words) => {
    app.answer = () => ({ status, headers, body: { code: 'CODE', message: 'no' } });
    const { page } = await open('#/generate');
    await page.getByRole('button', { name: 'Generate' }).click();
    await expectText(page, words);
    await expectCount(page.getByRole('alert').filter({ hasText: words }), 1);
  });

  it('keeps the IDs on the page if the next request is refused', async () => {
    const { page } = await open('#/generate');
    await page.getByRole('button', { name: 'Generate' }).click();
    const ids = generatorOn(page).locator('.output');
    await ids.filter({ hasText: '382475217496248322' }).waitFor();
    app.answer = () => ({ status: 429, body: { code: 'BUSY', message: 'no' } });
    await page.getByRole('button', { name: 'Generate' }).click();
    await page.getByRole('alert').filter({ hasText: 'Too many requests' }).waitFor();
    await eventually(async () => expect(await ids.innerText()).toContain('382475217496248331'));
  });

  it('decodes all of 1,000 IDs of the app', async () => {
    const { page } = await open('#/generate');
    await generatorOn(page).getByLabel('How many').fill('1000');
    await page.getByRole('button', { name: 'Generate' }).click();
    await page.getByText('Decode these IDs').click();
    await expectText(page, 'IDs found: 1,000.');
    expect(app.requests.map(({ body }) => body.count)).toEqual([1000]);
  });

  it('asks for no IDs if their number is wrong', async () => {
    const { page } = await open('#/generate');
    const count = generatorOn(page).getByLabel('How many');
    await count.fill('1001');
    await page.getByRole('button', { name: 'Generate' }).click();
    await expectText(page, 'Enter a whole number from 1 to 1,000.');
    await expectFocus(count);
    expect(app.requests).toEqual([]);
  });

  it('offers no IDs if the app makes none', async () => {
    app.facts = { ...app.facts, generate: undefined };
    const { page } = await open('#/generate');
    await expectText(page, en['refused.403']!);
    await expectCount(page.getByRole('button', { name: 'Generate' }), 0);
  });
});

describe('a namespace without an app', () => {
  it('shows a namespace without an app with its own layout and without generation', async () => {
    const [shop] = app.facts.makers.map((maker) => ({ ...maker, name: 'shop' }));
    app.facts = { kind: 'namespace', makers: shop ? [shop] : [], segments: false, series: false };
    const { page } = await open('#/generate');
    await expectText(page, 'This console only reads a namespace, and generates no IDs.');
    await expectText(page, 'From an app');
    await page.getByRole('link', { name: 'Layouts' }).click();
    await expectText(page, 'shop (this namespace)');
    await eventually(async () =>
      expect(await page.locator('main').innerText()).not.toMatch(/this app|SnowflakeConsoleModule/),
    );
  });
});

describe('the stores of the app', () => {
  it('names the stores of the app in the header, so that production and a laptop look different', async () => {
    const { page } = await open('#/time');
    await expectWords(page.locator('.stores'), 'redis namespace "shop", postgres namespace "audit"');
  });
});

describe('the layouts of the app', () => {
  it('selects the layout of the app on every page that reads IDs', async () => {
    for (const name of ['decode', 'generate', 'time']) {
      const { page } = await open(`#/${name}`);
      const select = page.locator('.layout-picker select');
      await select.locator('option[value="app:audit"]').waitFor({ state: 'attached' });
      await expectValue(select, 'app:default');
    }
    const { page } = await open('#/layouts');
    await expectText(page, 'audit (this app)');
  });

  it('prefers the layout of a link to that of the app', async () => {
    const { page } = await open('#/decode?layout=twitter');
    await page.getByRole('link', { name: 'Workers' }).waitFor();
    await expectValue(page.locator('.layout-picker select'), 'twitter');
    await page.locator('.layout-picker select').selectOption('default');
    await page.getByRole('link', { name: 'Time' }).click();
    await page.getByRole('heading', { name: 'Time', level: 1 }).waitFor();
    await expectValue(page.locator('.layout-picker select'), 'default');
  });
});

describe('the live page for all viewers', () => {
  /** Opens one of the parts of the console with as much in it as it can show. */
  async function openFull(name: string): Promise<Page> {
    app.send(later(0, {}, { grantsAfterMs: NOW_MS + 9_000 }));
    app.event = { ...app.event, segments: SEGMENTS };
    const { page } = await open(name === 'generate' || name === 'layouts' ? `#/${name}` : '#/workers');
    if (name === 'workers') {
      await cell(page, 700).click();
      app.send(later(2000, { 1: { state: 'offline' }, 5: { fencingToken: 'd:x@9' } }));
      await expectText(page, 'Windows that ran out');
      await page.locator('.unfold').first().click();
      await page.locator('.process').first().waitFor();
    }
    if (name === 'segments') {
      await page.getByRole('tab', { name: 'Segments' }).click();
      await expectText(page, '1,812');
    }
    if (name === 'series') {
      await page.getByRole('tab', { name: 'Series' }).click();
      await expectText(page, 'INV-');
    }
    if (name === 'generate') {
      await page.getByRole('button', { name: 'Generate' }).click();
      await expectText(page, 'Decode these IDs');
    }
    if (name === 'layouts') await expectText(page, '(this app)');
    return page;
  }

  it.each(['workers', 'segments', 'series', 'generate', 'layouts'])(
    'passes axe and does not overflow on %s, in both themes, wide and narrow',
    async (name) => {
      const page = await openFull(name);
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 800 });
        await expectWidth(page, width);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          expect([width, colorScheme, await violationsOn(page)]).toEqual([width, colorScheme, []]);
        }
      }
    },
  );
});

async function expectStreams(count: number): Promise<void> {
  const streams = (): string => `${count} streams, not ${app.openStreams}`;
  await waitFor(streams, TIMEOUT_MS, () => app.openStreams === count);
  expect(app.openStreams).toBe(count);
}

/** What the browser does when the viewer goes to another tab. */
function hide(page: Page, hidden: boolean): Promise<void> {
  return page.evaluate((value) => {
    Object.defineProperty(document, 'hidden', { configurable: true, value });
    document.dispatchEvent(new Event('visibilitychange'));
  }, hidden);
}
