import { computed } from '@preact/signals';
import { language, messages } from '../state/preferences.js';
import type { MessageKey } from './languages.js';

type Values = Readonly<Record<string, string | number>>;

/**
 * Returns a message in the chosen language, in the form that the language has for the value `count`. Numbers are
 * written as the language writes them.
 */
export function t(key: MessageKey, values: Values = {}): string {
  const format = numberFormat.value;
  const { count } = values;
  const form = typeof count === 'number' ? pluralRules.value.select(count) : 'other';
  const texts = messages.value;
  const message = texts[key] ?? texts[`${key}.${form}`] ?? texts[`${key}.other`] ?? key;
  return message.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    return typeof value === 'number' ? format.format(value) : (value ?? `{${name}}`);
  });
}

/** Returns the name of a state of a maker or a source. A state that a later version adds is shown as it is. */
export function stateText(state: string): string {
  const key = `state.${state}`;
  return key in messages.value ? t(key as MessageKey) : state;
}

const pluralRules = computed(() => new Intl.PluralRules(language.value));
const numberFormat = computed(() => new Intl.NumberFormat(language.value));

/** Formats a number for the chosen language. */
export function numberText(value: number, options?: Intl.NumberFormatOptions): string {
  return options
    ? new Intl.NumberFormat(language.value, options).format(value)
    : numberFormat.value.format(value);
}
