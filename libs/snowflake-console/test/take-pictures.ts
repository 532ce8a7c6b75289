// Takes the pictures of the docs from a scripted app. Build the page first. With a folder as argument, takes every page, in both
// themes, wide and narrow, to look at.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import type { RegistryWatch } from '../src/api/console-api.js';
import { openBrowser } from './support/browser.js';
import { scriptedMaker, scriptedRegistry, ScriptedApp } from './support/scripted-app.js';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const PAGES = ['decode', 'workers', 'generate', 'layouts', 'time'] as const;
const THEMES = ['light', 'dark'] as const;
type PageName = (typeof PAGES)[number];

const ID = 382475217496248322n;
const LIST = Array.from({ length: 240 }, (_, index) => {
  const burst = BigInt(Math.round(400 * Math.sin(index / 24) ** 2));
  return String(
    ID +
      (BigInt(index) * 1500n + burst * 90n) * 4_194_304n +
      BigInt((index * index) % 7) * 4096n +
      BigInt(index),
  );
}).join('\n');

async function openPage(browser: Browser, app: ScriptedApp, name: PageName, options: object): Promise<Page> {
  const page = await browser.newPage({ locale: 'en-US', timezoneId: 'UTC', ...options });
  await page.goto(`${app.url}#/${name}`);
  await page.getByRole('link', { name: 'Workers' }).waitFor();
  if (name === 'decode') {
    await page.fill('textarea', LIST);
    await page.getByText('IDs found: 240').waitFor();
    await page.locator('textarea').evaluate((area) => area.scrollTo(0, 0));
  }
  if (name === 'generate') {
    await page.getByRole('button', { name: 'Generate' }).click();
    await page.getByText('Decode these IDs').waitFor();
  }
  if (name === 'workers') {
    await page.getByText('Live', { exact: true }).waitFor();
    await page.waitForTimeout(2500);
  }
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  return page;
}

const GRANTED_MS = Date.UTC(2026, 10, 20);

/** Gives every worker ID one grant, from before the IDs of the picture were made. */
function withGrants(registry: RegistryWatch): RegistryWatch {
  const workers = registry.workers.map((row) =>
    row.fencingToken === undefined
      ? row
      : {
          ...row,
          windowFromMs: GRANTED_MS,
          fencingToken: row.fencingToken.replace(/@\d+$/, `@${GRANTED_MS}`),
        },
  );
  return { ...registry, workers };
}

/** Sends events as a live app does. Returns what ends it. */
function keepSending(app: ScriptedApp): () => void {
  let issued = 1_204_511;
  let events = 0;
  const send = (): void => {
    const nowMs = Date.now();
    events += 1;
    issued += Math.round(900 + 500 * Math.sin(nowMs / 4000));
    const registry = withGrants(scriptedRegistry(nowMs + 4));
    // One process crashes again and again.
    const workers = registry.workers.map((row) =>
      row.workerId === 5 && events % 4 < 2 ? { ...row, state: 'offline' as const } : row,
    );
    const maker = scriptedMaker('default', nowMs, { ...registry, workers });
    app.send({
      makers: [
        { ...maker, status: maker.status && { ...maker.status, issued } },
        scriptedMaker('audit', nowMs, { ...withGrants(scriptedRegistry(nowMs, 40)), total: 256 }),
      ],
      segments: [
        {
          tag: 'order',
          state: 'ready',
          left: 1812,
          highest: 90_400,
          issued: 88_588,
          perSecond: 41,
          lastsMs: 44_195,
        },
        {
          tag: 'invoice-draft',
          state: 'exhausted',
          left: 0,
          issued: 12_000,
          perSecond: 0,
          lastErrorCode: 'SNOWFLAKE_STORE_UNAVAILABLE',
        },
      ],
    });
  };
  send();
  const timer = setInterval(send, 300);
  return () => clearInterval(timer);
}

/** The card with which a picture of the docs ends. */
const LAST_CARD = { workers: '.map', decode: '.many' } as const;

/** The page down to the end of a card, so that no picture ends within one. */
async function clipAfter(
  page: Page,
  selector: string,
): Promise<{ x: 0; y: 0; width: number; height: number }> {
  const card = page.locator(selector);
  const { y = 0, height = 0 } = (await card.boundingBox()) ?? {};
  return { x: 0, y: 0, width: page.viewportSize()?.width ?? 0, height: Math.round(y + height + 16) };
}

async function pictures(browser: Browser, app: ScriptedApp): Promise<void> {
  const folder = at('../../../docs/images');
  mkdirSync(folder, { recursive: true });
  for (const name of ['workers', 'decode'] as const) {
    for (const colorScheme of THEMES) {
      const page = await openPage(browser, app, name, {
        colorScheme,
        viewport: { width: 1200, height: 900 },
      });
      const path = join(folder, `console-${name}-${colorScheme}.png`);
      await page.screenshot({ path, fullPage: true, clip: await clipAfter(page, LAST_CARD[name]) });
      await page.close();
    }
  }
}

async function everyPage(browser: Browser, app: ScriptedApp, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const name of PAGES) {
    for (const colorScheme of THEMES) {
      for (const width of [1280, 800, 360]) {
        const page = await openPage(browser, app, name, { colorScheme, viewport: { width, height: 900 } });
        await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true });
        await page.close();
      }
    }
  }
}

const folder = process.argv[2];
const app = await ScriptedApp.start(at('../dist/page'), '/snowflake/');
const browser = await openBrowser();
const endSending = keepSending(app);
try {
  await (folder ? everyPage(browser, app, folder) : pictures(browser, app));
} finally {
  endSending();
  await browser.close();
  await app.stop();
}
