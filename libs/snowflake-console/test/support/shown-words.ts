import type { JSHandle, Locator } from 'playwright-core';

/** Records every text of an element from now on, because some texts are visible too briefly to wait for. */
export async function notedWords(element: Locator): Promise<JSHandle<string[]>> {
  return element.evaluateHandle((node) => {
    const shown = [node.textContent.trim()];
    new MutationObserver(() => shown.push(node.textContent.trim())).observe(node, {
      subtree: true,
      childList: true,
      characterData: true,
    });
    return shown;
  });
}

/** Clicks a button, and waits until it has shown that. */
export async function clickUntilShown(button: Locator, words: string): Promise<void> {
  const noted = await notedWords(button);
  await button.click();
  await button
    .page()
    .waitForFunction(({ shown, wanted }) => shown.includes(wanted), { shown: noted, wanted: words });
}
