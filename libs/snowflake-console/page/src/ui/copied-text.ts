/** Copies a text. Returns whether the browser did it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Only pages over HTTPS and of this machine have a clipboard. An old command may work on the others.
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
    // Deprecated, and all that a page over plain HTTP has.
    return document.execCommand('copy');
  } catch {
    return false;
  } finally {
    area.remove();
    if (before instanceof HTMLElement) before.focus();
  }
}
