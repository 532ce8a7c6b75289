import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { closePages, openBrowser, type Opened, openPage, type PageOptions } from './browser.js';
import { FileServer } from './file-server.js';

/** The built page. */
export const PAGE_FOLDER = fileURLToPath(new URL('../../dist/page', import.meta.url));

/** One process of Chromium for all tests of a spec. Each test loses the pages that it has opened. */
export class SpecBrowser {
  private browser: Browser | undefined;

  /** Call it where hooks are declared. @param flags of Chromium */
  constructor(...flags: readonly string[]) {
    beforeAll(async () => {
      this.browser = await openBrowser(...flags);
    });
    afterEach(closePages);
    afterAll(() => this.browser?.close());
  }

  open(url: string, hash = '', options: PageOptions = {}): Promise<Opened> {
    if (!this.browser) throw new Error('The browser has not started.');
    return openPage(this.browser, url, hash, options);
  }
}

/** The page as static files below a path, in a browser, for the tests of a spec. */
export class SpecPage {
  private server: FileServer | undefined;

  /** Call it where hooks are declared. */
  constructor(
    path = '/',
    private readonly browser = new SpecBrowser(),
  ) {
    beforeAll(async () => {
      this.server = await FileServer.of(PAGE_FOLDER, path);
    });
    afterAll(() => this.server?.stop());
  }

  get url(): string {
    return this.server?.url ?? '';
  }

  readonly open = (hash?: string, options?: PageOptions): Promise<Opened> =>
    this.browser.open(this.url, hash, options);
}
