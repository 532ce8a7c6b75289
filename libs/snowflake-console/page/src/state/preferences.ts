import { batch, effect, signal } from '@preact/signals';
import { FALLBACK, LANGUAGES, loadMessages, type Messages } from '../messages/languages.js';

export type Theme = 'auto' | 'light' | 'dark';
export const THEMES: readonly Theme[] = ['auto', 'light', 'dark'];

const stored = (name: string): string | null => {
  try {
    return localStorage.getItem(`snowflake-console:${name}`);
  } catch {
    // A browser may forbid storage. The choice then lasts until the page is closed.
    return null;
  }
};

const store = (name: string, value: string): void => {
  try {
    localStorage.setItem(`snowflake-console:${name}`, value);
  } catch {
    // See above.
  }
};

/** `zh-Hant-TW` is shown as `zh-Hant`, or else as `zh`. */
function known(tag: string | null): string | undefined {
  const parts = (tag ?? '').toLowerCase().split('-');
  const candidates = parts.map((_, index) => parts.slice(0, parts.length - index).join('-'));
  return candidates
    .map((candidate) => LANGUAGES.find((name) => name.toLowerCase() === candidate))
    .find((name) => name !== undefined);
}

function preferredLanguage(): string {
  const wanted = [stored('language'), ...navigator.languages];
  return wanted.map(known).find((name) => name !== undefined) ?? FALLBACK;
}

export const language = signal(preferredLanguage());
/** The messages of the language. */
export const messages = signal<Messages>({});
export const theme = signal<Theme>(THEMES.find((name) => name === stored('theme')) ?? 'auto');

/** Shows what was chosen, or what the browser prefers. Resolves once the messages are there. */
export async function showPreferences(): Promise<void> {
  effect(() => {
    document.documentElement.lang = language.value;
  });
  effect(() => {
    document.documentElement.dataset['theme'] = theme.value;
  });
  messages.value = await loadMessages(language.value);
}

/** Shows a language once its messages are there, and keeps it for the next visit. */
export async function chooseLanguage(name: string): Promise<void> {
  const loaded = await loadMessages(name);
  batch(() => {
    messages.value = loaded;
    language.value = name;
  });
  store('language', name);
}

/** Shows a theme, and keeps it for the next visit. */
export function chooseTheme(name: Theme): void {
  theme.value = name;
  store('theme', name);
}
