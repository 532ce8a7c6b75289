import { computed } from '@preact/signals';
import { language } from '../state/preferences.js';
import en from './en.json';
import { CATALOGS, type MessageKey } from './languages.js';

type Values = Readonly<Record<string, string | number>>;

/** Returns a message in the chosen language. Numbers are written as the language writes them. */
export function t(key: MessageKey, values: Values = {}): string {
  const format = numberFormat.value;
  const message = CATALOGS[language.value]?.[key] ?? en[key];
  return message.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    return typeof value === 'number' ? format.format(value) : (value ?? `{${name}}`);
  });
}

/** Returns the name of a state of a maker or a source. A state that a later version adds is shown as it is. */
export function stateText(state: string): string {
  const key = `state.${state}`;
  return key in en ? t(key as MessageKey) : state;
}

const numberFormat = computed(() => new Intl.NumberFormat(language.value));

/** Returns a number as the chosen language writes it. */
export function numberText(value: number, options?: Intl.NumberFormatOptions): string {
  return options
    ? new Intl.NumberFormat(language.value, options).format(value)
    : numberFormat.value.format(value);
}
