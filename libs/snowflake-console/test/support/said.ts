import type { JSHandle, Locator } from 'playwright-core';

/** Notes all that an element says from now on. Some of it stays for no more than a moment, too short to be waited for. */
export async function notedWords(element: Locator): Promise<JSHandle<string[]>> {
  return element.evaluateHandle((node) => {
    const said = [node.textContent.trim()];
    new MutationObserver(() => said.push(node.textContent.trim())).observe(node, {
      subtree: true,
      childList: true,
      characterData: true,
    });
    return said;
  });
}

/** Clicks a button, and waits until it has said that. */
export async function clickUntilSaid(button: Locator, words: string): Promise<void> {
  const noted = await notedWords(button);
  await button.click();
  await button
    .page()
    .waitForFunction(({ said, wanted }) => said.includes(wanted), { said: noted, wanted: words });
}
