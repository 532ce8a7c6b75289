/** Copies a text. Returns whether the browser did it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Only pages over HTTPS or at localhost have a clipboard. On others, an old command may work.
    return copySelected(text);
  }
}

function copySelected(text: string): boolean {
  const before = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'for-readers';
  area.readOnly = true;
  document.body.append(area);
  area.select();
  try {
    // The command is deprecated, but the only way on a page over plain HTTP.
    return document.execCommand('copy');
  } catch {
    return false;
  } finally {
    area.remove();
    if (before instanceof HTMLElement) before.focus();
  }
}
