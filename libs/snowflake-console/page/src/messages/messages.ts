import { computed } from '@preact/signals';
import { language } from '../state/preferences.js';
import en from './en.json';
import type { Language, MessageKey, Messages } from './languages.js';
import sw from './sw.json';
import zh from './zh.json';

const CATALOGS: Record<Language, Messages> = { en, zh, sw };

type Values = Readonly<Record<string, string | number>>;

/** Returns a message in the chosen language. Numbers are written as the language writes them. */
export function t(key: MessageKey, values: Values = {}): string {
  const format = numberFormat.value;
  return CATALOGS[language.value][key].replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    return typeof value === 'number' ? format.format(value) : (value ?? `{${name}}`);
  });
}

const numberFormat = computed(() => new Intl.NumberFormat(language.value));

/** Returns a number as the chosen language writes it. */
export function numberText(value: number, options?: Intl.NumberFormatOptions): string {
  return options
    ? new Intl.NumberFormat(language.value, options).format(value)
    : numberFormat.value.format(value);
}
