import { type Browser, chromium, type Page } from 'playwright-core';
import { requireBinary } from '../../../../test/support/servers/binaries.js';
import { TIMEOUT_MS } from './eventually.js';

/** Chromium talks to nobody but the page: a machine without a way out would answer each of its own requests with a refusal. */
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Starts Debian's Chromium with further flags. As a shell: the whole browser would also render its own toolbars and menus, for
 * windows that nobody sees.
 */
export function openBrowser(...flags: readonly string[]): Promise<Browser> {
  return chromium.launch({
    executablePath: requireBinary('chromium-headless-shell'),
    args: [...QUIET, ...flags],
  });
}

export type PageOptions = NonNullable<Parameters<Browser['newPage']>[0]>;

export interface Opened {
  readonly page: Page;
  /** What the browser complained of: violations of the policy, errors, requests to another origin. */
  readonly complaints: string[];
}

const pages: Page[] = [];

/** Opens the console, and notes what the browser complains of. */
export async function openPage(
  browser: Browser,
  url: string,
  hash: string,
  options: PageOptions,
): Promise<Opened> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, locale: 'en-US', ...options });
  pages.push(page);
  page.setDefaultTimeout(TIMEOUT_MS);
  const complaints: string[] = [];
  page.on('console', (message) => {
    // How a static page learns that no app is behind it.
    if (!message.location().url.endsWith('/api/app')) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(url)) complaints.push(request.url());
  });
  await page.goto(url + hash);
  await page.waitForSelector('h1');
  return { page, complaints };
}

/** Closes the pages of a test. */
export async function closePages(): Promise<void> {
  await Promise.all(pages.splice(0).map((page) => page.close()));
}
