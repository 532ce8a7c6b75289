import type { Signal } from '@preact/signals';

/** Sets a text to a parameter of an address, if it has this parameter. */
export function takeText(parameters: URLSearchParams, name: string, into: Signal<string>): void {
  const text = parameters.get(name);
  if (text !== null) into.value = text;
}

/** Sets a number to a parameter of an address, if that is a number. */
export function takeNumber(parameters: URLSearchParams, name: string, into: Signal<number>): void {
  const number = numberOf(parameters.get(name));
  if (number !== undefined) into.value = number;
}

/** Sets a choice to a parameter of an address, if it is one of the choices. */
export function takeChoice<Choice extends string>(
  parameters: URLSearchParams,
  name: string,
  choices: readonly Choice[],
  into: Signal<Choice>,
): void {
  const wanted = parameters.get(name);
  const choice = choices.find((each) => each === wanted);
  if (choice !== undefined) into.value = choice;
}

/** Returns the number as a parameter. A field that holds none is left empty. */
export function numberParameter(value: number): string {
  return Number.isNaN(value) ? '' : String(value);
}

export function numberOf(text: string | null): number | undefined {
  const number = text === null || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : undefined;
}
