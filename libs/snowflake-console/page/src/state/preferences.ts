import { effect, signal } from '@preact/signals';
import { type Language, LANGUAGES } from '../messages/languages.js';

export type Theme = 'auto' | 'light' | 'dark';
export const THEMES: readonly Theme[] = ['auto', 'light', 'dark'];

const stored = (name: string): string | null => {
  try {
    return localStorage.getItem(`snowflake-console:${name}`);
  } catch {
    // A browser may forbid storage. The page then forgets what was chosen.
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

const known = (tag: string | null): Language | undefined =>
  LANGUAGES.find((language) => tag?.toLowerCase().split('-')[0] === language);

function preferredLanguage(): Language {
  const wanted = [stored('language'), ...navigator.languages];
  return wanted.map(known).find((language) => language !== undefined) ?? 'en';
}

export const language = signal<Language>(preferredLanguage());
export const theme = signal<Theme>(THEMES.find((name) => name === stored('theme')) ?? 'auto');

/** Shows what was chosen, and keeps it for the next visit. */
export function keepPreferences(): void {
  effect(() => {
    document.documentElement.lang = language.value;
    store('language', language.value);
  });
  effect(() => {
    document.documentElement.dataset['theme'] = theme.value;
    store('theme', theme.value);
  });
}
