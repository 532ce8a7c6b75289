import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { violationsOn } from '../../libs/snowflake-console/test/support/axe.js';
import { eventually } from '../../libs/snowflake-console/test/support/eventually.js';
import { expectText, expectWidth } from '../../libs/snowflake-console/test/support/expect-page.js';
import { FileServer } from '../../libs/snowflake-console/test/support/file-server.js';
import { messagesIn } from '../../libs/snowflake-console/test/support/messages.js';
import { SpecBrowser } from '../../libs/snowflake-console/test/support/spec-page.js';

/** The site as `npm run build --prefix site` leaves it. */
const BUILT = fileURLToPath(new URL('../../site/.vitepress/dist', import.meta.url));

const ID = '382475217496248322';
const MADE_AT = '2026-11-21T10:19:57.897Z';
/** A message that each tool shows as soon as it is open. */
const SHOWN = {
  decode: 'code.title',
  generate: 'generate.offlineTitle',
  layouts: 'presets.title',
  time: 'range.toIds',
} as const;
const TOOLS = Object.keys(SHOWN) as (keyof typeof SHOWN)[];
const LANGUAGES = ['en', 'zh', 'sw'];
const PHONE = { viewport: { width: 380, height: 800 } };

const browser = new SpecBrowser();
let server: FileServer;

beforeAll(async () => {
  if (!existsSync(BUILT))
    throw new Error('The site is not built. Run: npm ci --prefix site && npm run build --prefix site');
  server = await FileServer.of(BUILT, '/', undefined, null);
});
afterAll(() => server?.stop());

const toolPath = (tool: string, language: string): string =>
  `tools/${language === 'en' ? '' : `${language}/`}${tool}.html`;

async function open(path: string, options = {}): Promise<{ page: Page; complaints: string[] }> {
  return browser.open(server.url, path, options);
}

describe.each(LANGUAGES)('the tools in %s', (language) => {
  const messages = messagesIn(`${language}.json`);

  it.each(TOOLS)('%s speaks the language, and complains of nothing', async (tool) => {
    const { page, complaints } = await open(toolPath(tool, language));
    await expectText(page, messages[SHOWN[tool]] ?? '');
    expect(await page.locator('.snowflake-tool').getAttribute('lang')).toBe(language);
    expect(await violationsOn(page, '.snowflake-tool')).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

describe('the tools', () => {
  it('decode an ID and show the code that does, and send nothing', async () => {
    const { page } = await open(toolPath('decode', 'en'));
    await page.getByRole('textbox').first().waitFor();
    const requests: string[] = [];
    // The site loads the scripts of pages that are linked in advance.
    const isScript = (url: string): boolean => new URL(url).pathname.startsWith('/assets/');
    page.on('request', (request) => {
      if (!isScript(request.url()) || request.method() !== 'GET') requests.push(request.url());
    });
    await page.getByRole('textbox').first().fill(`order ${ID} paid`);
    await expectText(page, MADE_AT);
    await expectText(page, `const id = BigInt('${ID}');`);
    await expectText(page, 'time in ms    = (id >> 22) + 1704067200000');
    expect(requests).toEqual([]);
  });

  it('ask no server for an app', async () => {
    const { page } = await open('index.html');
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(`${server.url}${toolPath('generate', 'en')}`);
    await expectText(page, messagesIn('en.json')[SHOWN.generate] ?? '');
    expect(requests.filter((url) => url.includes('/api/'))).toEqual([]);
  });

  it('open what a link holds', async () => {
    const { page } = await open(
      `${toolPath('decode', 'en')}#/decode?layout=twitter&text=1212092628029698048`,
    );
    await expectText(page, '2019-12-31T19:26:16.771Z');
  });

  it('leave the address of the next page alone, and are there again on the way back', async () => {
    const { page } = await open(toolPath('decode', 'en'));
    await page.getByRole('textbox').first().fill(ID);
    await expectText(page, MADE_AT);
    await page.getByRole('link', { name: 'Generate IDs' }).click();
    await expectText(page, messagesIn('en.json')[SHOWN.generate] ?? '');
    await page.getByRole('link', { name: 'Get started' }).click();
    await page.getByRole('heading', { level: 1, name: 'Getting started' }).waitFor();
    await expectAddress(page, /\/getting-started\.html$/);
    await page.goBack();
    await expectText(page, messagesIn('en.json')[SHOWN.generate] ?? '');
    await expectAddress(page, /\/tools\/generate\.html#\/generate\?/);
  });

  it.each(TOOLS)('%s fits a phone', async (tool) => {
    const { page } = await open(toolPath(tool, 'en'), PHONE);
    await expectText(page, messagesIn('en.json')[SHOWN[tool]] ?? '');
    await expectWidth(page, PHONE.viewport.width);
  });
});

async function expectAddress(page: Page, wanted: RegExp): Promise<void> {
  await eventually(async () => expect(await page.evaluate(() => location.href)).toMatch(wanted));
}

describe('the search', () => {
  it.each([
    ['obfuscate', /public-ids|obfuscat/],
    ['hashid', /public-ids|obfuscat/],
    ['docker', /id-service/],
    ['mock', /testing/],
    ['curl', /service|protocol|other-languages/],
    ['duplicate key', /duplicate|troubleshooting|problems|failure-modes|safety/],
    ['decoder', /tools\/decode/],
    ['constructor', /./],
  ])('finds the page for "%s"', async (words, wanted) => {
    const { page } = await open('getting-started.html');
    await page.keyboard.press('/');
    await page.locator('#localsearch-input').fill(words);
    await eventually(async () => {
      const links = await page
        .locator('.VPLocalSearchBox .result')
        .evaluateAll((found) => found.map((link) => (link as HTMLAnchorElement).href));
      expect(links.slice(0, 5).some((link) => wanted.test(link)) || links).toBe(true);
    });
  });
});

describe('the pages', () => {
  it('name the columns of their tables on a phone, and are no wider than it', async () => {
    const { page } = await open('reference/options.html', PHONE);
    const cell = page.locator('table.is-wide td[data-column]').nth(1);
    expect(await cell.evaluate((node) => getComputedStyle(node, '::before').content)).toMatch(/^"\w/);
    await expectWidth(page, PHONE.viewport.width);
  });

  it.each([380, 768, 960, 1280])('fit into a window of %d pixels', async (width) => {
    const { page } = await open('index.html', { viewport: { width, height: 800 } });
    await expectWidth(page, width);
  });

  it('show on the home page a program and its answer', async () => {
    const { page, complaints } = await open('index.html');
    await expectText(page, 'SnowflakeModule.forRoot(');
    await expectText(page, `{"id":"${ID}"}`);
    expect(complaints).toEqual([]);
  });

  it('show tabs for npm, pnpm and yarn', async () => {
    const { page } = await open('packages/snowflake-segments.html');
    await page.getByText('yarn', { exact: true }).first().click();
    await expectText(page, 'yarn add nestjs-snowflake nestjs-snowflake-segments');
  });

  it('describe themselves to search engines, each in its own words', async () => {
    const descriptionOf = (path: string): string =>
      /<meta name="description" content="([^"]*)"/.exec(readFileSync(join(BUILT, path), 'utf8'))?.[1] ?? '';
    const described = [
      'guides/typeorm.html',
      'stores/redis.html',
      'packages/snowflake-cli.html',
      'tools/zh/decode.html',
    ].map(descriptionOf);
    expect(new Set(described).size).toBe(described.length);
    expect(described.every((text) => text.length > 30)).toBe(true);
  });

  it('are listed for language models, with the addresses of their Markdown', () => {
    const list = readFileSync(join(BUILT, 'llms.txt'), 'utf8');
    const paths = [...list.matchAll(/\]\((?:https?:\/\/[^/]+)?\/([^)]+\.md)\)/g)].map(
      ([, path = '']) => path,
    );
    expect(paths.length).toBeGreaterThan(20);
    expect(paths.filter((path) => !existsSync(join(BUILT, path)))).toEqual([]);
  });
});
