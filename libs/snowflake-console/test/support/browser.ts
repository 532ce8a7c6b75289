import { type Browser, chromium } from 'playwright-core';
import { requireBinary } from '../../../../test/support/servers/binaries.js';

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

/** Starts Debian's Chromium without a window. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: requireBinary('chromium'), args: QUIET });
}
