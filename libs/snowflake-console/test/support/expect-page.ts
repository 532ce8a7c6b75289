import type { Locator, Page } from 'playwright-core';
import { eventually } from './eventually.js';

/** Waits for a text on the page, in a field of output or anywhere else. */
export async function expectText(page: Page, wanted: string): Promise<void> {
  await page.getByText(wanted, { exact: false }).first().waitFor();
}

/** Waits until an element has a text and no other. */
export async function expectWords(element: Locator, words: string): Promise<void> {
  await eventually(async () => expect(await element.innerText()).toBe(words));
}

/** Waits until so many elements match. */
export async function expectCount(elements: Locator, count: number): Promise<void> {
  await eventually(async () => expect(await elements.count()).toBe(count));
}

/** Waits until a field has a value. */
export async function expectValue(field: Locator, value: string): Promise<void> {
  await eventually(async () => expect(await field.inputValue()).toBe(value));
}

/** Waits until an element has the focus. */
export async function expectFocus(element: Locator): Promise<void> {
  await eventually(async () =>
    expect(await element.evaluate((node) => document.activeElement === node)).toBe(true),
  );
}

/** Waits until the content of the page is as wide as this. */
export async function expectWidth(page: Page, width: number): Promise<void> {
  await eventually(async () =>
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width),
  );
}
