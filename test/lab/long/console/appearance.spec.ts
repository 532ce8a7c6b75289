import type { Page } from 'playwright-core';
import { eventually } from '../../../../libs/snowflake-console/test/support/eventually.js';
import { expectCount } from '../../../../libs/snowflake-console/test/support/expect-page.js';
import {
  scriptedMaker,
  scriptedRegistry,
  ScriptedApp,
} from '../../../../libs/snowflake-console/test/support/scripted-app.js';
import { PAGE_FOLDER, SpecBrowser } from '../../../../libs/snowflake-console/test/support/spec-page.js';

const NOW_MS = Date.parse('2026-11-23T10:00:00Z');
const IDS = Array.from({ length: 150 }, (_, index) => 382475217496248322n + BigInt(index) * 4_194_304_000n);
const LINK = `#/decode?text=${IDS.join('%0A')}`;
/** As long as a name can be. */
const LONG_NAME = 'm'.repeat(64);

/** What the pages show once they have everything, in the order of their links. */
const CONTENT = ['.row-id', '.map', '#app-generator-title', 'table', 'pre.output'];

const browser = new SpecBrowser();
let app: ScriptedApp;

beforeAll(async () => {
  app = await ScriptedApp.start(PAGE_FOLDER, '/snowflake/');
  const [first, ...others] = app.facts.makers;
  app.facts = { ...app.facts, makers: [{ ...first!, name: LONG_NAME }, ...others] };
  const registry = { ...scriptedRegistry(NOW_MS), total: 65_536, omitted: 904 };
  app.send({
    makers: [scriptedMaker(LONG_NAME, NOW_MS, registry), scriptedMaker('audit', NOW_MS)],
    segments: [],
  });
});
afterAll(() => app?.stop());

async function open(hash: string, options = {}): Promise<Page> {
  const { page } = await browser.open(app.url, hash, options);
  await page.locator('nav a').nth(4).waitFor();
  return page;
}

/** Unfolds the map of worker IDs, if the page has one. Little of it is used. */
function openMap(page: Page): Promise<void> {
  return page.locator('.map').evaluateAll((maps) => {
    for (const map of maps as HTMLDetailsElement[]) map.open = true;
  });
}

async function expectStyle(page: Page, selector: string, property: string, value: string): Promise<void> {
  await eventually(async () => expect(await styleOf(page, selector, property)).toBe(value));
}

const styleOf = (page: Page, selector: string, property: string): Promise<string> =>
  page
    .locator(selector)
    .first()
    .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);

/** What sticks out of the page, unless it scrolls on its own. */
const widthsOf = (page: Page): Promise<readonly [number, number]> =>
  page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return [scrollWidth, clientWidth] as const;
  });

describe.each(['en-US', 'zh-CN', 'sw-KE'])('the console on a narrow screen in %s', (locale) => {
  it('fits every page and tab into 360 and 320 px with the longest names and lists', async () => {
    const page = await open(LINK, { locale });
    const names = await page.locator('nav a').count();
    for (let index = 0; index < names; index++) {
      const link = page.locator('nav a').nth(index);
      await link.click();
      const name = await link.innerText();
      await page.locator('h1', { hasText: name }).waitFor();
      await page.locator(CONTENT[index]!).first().waitFor();
      await openMap(page);
      const tabs = await page.locator('[role=tab]').count();
      for (let tab = 0; tab < Math.max(1, tabs); tab++) {
        if (tabs > 0) await page.locator('[role=tab]').nth(tab).click();
        for (const width of [360, 320]) {
          await page.setViewportSize({ width, height: 800 });
          await eventually(async () => {
            const [scrollWidth, clientWidth] = await widthsOf(page);
            expect([name, tab, width, scrollWidth]).toEqual([name, tab, width, clientWidth]);
          });
        }
      }
    }
    expect(names).toBe(5);
  });
});

describe('the console on paper', () => {
  it('prints dark on white although the viewer has chosen the dark theme', async () => {
    const page = await open(LINK);
    await page.locator('.preferences summary').click();
    await page.getByLabel('Theme').selectOption('dark');
    await page.emulateMedia({ media: 'print' });
    await expectStyle(page, 'body', 'color', 'rgb(26, 31, 39)');
    // Control: on the screen the same theme is pale.
    await page.emulateMedia({ media: 'screen' });
    await expectStyle(page, 'body', 'color', 'rgb(231, 234, 240)');
  });

  it('prints how many IDs are printed', async () => {
    const page = await open(LINK);
    await page.locator('.row-id').first().waitFor();
    await page.emulateMedia({ media: 'print' });
    await eventually(async () => {
      expect(await page.locator('main').innerText()).toContain('Printed: the first 100 of 150.');
    });
    await expectCount(page.locator('tbody tr'), 100);
    await page.emulateMedia({ media: 'screen' });
    await eventually(async () => expect(await page.locator('main').innerText()).not.toContain('Printed:'));
  });
});

describe('the console with the colors of the viewer', () => {
  const options = { forcedColors: 'active' } as const;

  it('keeps the colors of worker ID states and of the fields of an ID', async () => {
    const page = await open('#/workers', options);
    await page.locator('.map').waitFor();
    await openMap(page);
    await page.locator('.worker-grid').waitFor();
    const colorOf = (state: string): Promise<string> =>
      styleOf(page, `.worker-grid .cell.is-${state}`, 'background-color');
    expect(new Set([await colorOf('own'), await colorOf('held'), await colorOf('unused')]).size).toBe(3);
    await page.locator('nav a').first().click();
    await page.fill('textarea', String(IDS[0]));
    await page.getByText('Bits and other forms').click();
    await page.locator('.bit').first().waitFor();
    const fields = ['timestamp', 'worker', 'sequence'];
    for (const kind of ['bit', 'swatch']) {
      const colors = fields.map((field) => styleOf(page, `.${kind}.field-${field}`, 'background-color'));
      expect(new Set(await Promise.all(colors)).size).toBe(3);
    }
  });

  it('underlines only the tab that is shown', async () => {
    const page = await open('#/workers', options);
    const tabs = page.locator('[role=tab]');
    await tabs.first().waitFor();
    await eventually(async () => {
      const lines = await tabs.evaluateAll((all) =>
        all.map((tab) => getComputedStyle(tab).borderBottomWidth),
      );
      expect(lines).toEqual(['3px', '0px', '0px']);
    });
  });
});
