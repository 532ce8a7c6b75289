// `npm run measure --workspace nestjs-snowflake-console`: how long the page takes in Chromium for a paste of 10,000 lines and for 1,024 workers. Each is measured
// on several fresh pages; the quickest and the median are printed, because whatever else runs can only add to them.
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from './support/browser.js';
import { scriptedMaker, scriptedRegistry, ScriptedApp } from './support/scripted-app.js';

const FOLDER = fileURLToPath(new URL('../dist/page', import.meta.url));
const PAGES = 15;
const LINES = Array.from(
  { length: 10_000 },
  (_, index) => `2026-11-21 info paid order ${382475217496248322n + BigInt(index) * 4_194_304_000n}`,
).join('\n');

/** What one page took, in milliseconds. */
interface Taken {
  readonly doneMs: number;
  /** The longest time between two frames, in which nothing that is typed appears. */
  readonly longestFrameMs: number;
}

/** Runs in the page: from `start` until `isDone`, and the frame after it. */
const MEASURE = `async (start, isDone) => {
  let longestFrameMs = 0;
  const fromMs = performance.now();
  let lastMs = fromMs;
  start();
  for (;;) {
    await new Promise(requestAnimationFrame);
    const nowMs = performance.now();
    longestFrameMs = Math.max(longestFrameMs, nowMs - lastMs);
    lastMs = nowMs;
    if (isDone()) return { doneMs: nowMs - fromMs, longestFrameMs };
    if (nowMs - fromMs > 30_000) throw new Error('This takes too long.');
  }
}`;

async function pageAt(browser: Browser, app: ScriptedApp, name: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, locale: 'en-US' });
  await page.goto(`${app.url}#/${name}`);
  await page.getByRole('link', { name: 'Workers' }).waitFor();
  // The work of loading is over.
  await page.waitForTimeout(500);
  return page;
}

async function pasteLines(page: Page): Promise<Taken> {
  return page.evaluate(`(${MEASURE})(
    () => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', ${JSON.stringify(LINES)});
      const area = document.querySelector('textarea');
      area.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    },
    () => document.body.innerText.includes('IDs found: 10,000') && document.querySelectorAll('tbody tr').length >= 100,
  )`);
}

/** From the click until all are there, with the request and the answer of the app. */
async function showWorkers(page: Page): Promise<Taken> {
  return page.evaluate(`(${MEASURE})(
    () => [...document.querySelectorAll('nav a')].find(({ textContent }) => textContent === 'Workers').click(),
    () => document.querySelectorAll('.worker-grid [role=gridcell]').length === 1024,
  )`);
}

async function measure(
  browser: Browser,
  app: ScriptedApp,
  name: string,
  take: (page: Page) => Promise<Taken>,
): Promise<Taken[]> {
  const taken: Taken[] = [];
  for (let count = 0; count < PAGES; count++) {
    const page = await pageAt(browser, app, name);
    taken.push(await take(page));
    await page.close();
  }
  return taken;
}

function print(what: string, taken: readonly Taken[]): void {
  const show = (part: keyof Taken): string => {
    const sorted = taken.map((each) => each[part]).toSorted((a, b) => a - b);
    const [least = Number.NaN, median = Number.NaN] = [sorted[0], sorted[PAGES >> 1]];
    return `${least.toFixed(0)} ms at least, ${median.toFixed(0)} ms median`;
  };
  process.stdout.write(`${what}: ${show('doneMs')}; longest frame: ${show('longestFrameMs')}\n`);
}

const [browser, app] = await Promise.all([openBrowser(), ScriptedApp.start(FOLDER, '/snowflake/')]);
app.send({ makers: [scriptedMaker('default', Date.now(), scriptedRegistry(Date.now()))] });
try {
  print('a paste of 10,000 lines', await measure(browser, app, 'decode', pasteLines));
  print('1,024 workers, from the click', await measure(browser, app, 'time', showWorkers));
} finally {
  await browser.close();
  await app.stop();
}
