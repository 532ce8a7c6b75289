import { inspect } from 'node:util';
import { ConsoleLogger } from '@nestjs/common';

/** Prints a value in every way in which values get into logs. */
export function printEveryForm(what: string, value: unknown): void {
  print(`${what}, printed:`, value);
  print(`${what}, with everything:`, inspect(value, { depth: Infinity, showHidden: true, ...WHOLE }));
  print(`${what}, with getters:`, inspect(value, { depth: 4, showHidden: true, getters: true, ...WHOLE }));
  print(`${what}, as text:`, textOf(value));
  print(`${what}, as JSON:`, jsonOf(value));
  for (const json of [false, true]) {
    const logger = new ConsoleLogger('Printer', { json, colors: false });
    logger.error(value);
    logger.error(what, value);
    logger.warn({ what, value });
    if (value instanceof Error) logger.error(value.message, value.stack);
  }
}

/** Marks the end of the output of one order. */
export const END = '=== the end of the order';

const WHOLE = { maxArrayLength: null, maxStringLength: null, breakLength: Infinity };

/** Prints the private parts that an object with a custom inspection hides. */
export function printInside(what: string, value: object): void {
  const options = { depth: Infinity, showHidden: true, customInspect: false, ...WHOLE };
  print(`${what}, inside:`, inspect(value, options));
}

/** Marks a place on both streams. */
export function announce(name: string): void {
  for (const stream of [process.stdout, process.stderr]) stream.write(`\n${name}\n`);
}

function print(what: string, value: unknown): void {
  process.stdout.write(`${what} ${typeof value === 'string' ? value : inspect(value)}\n`);
}

function textOf(value: unknown): string {
  try {
    return `${String(value)} ${value instanceof Error ? value.stack : ''}`;
  } catch (error) {
    return `cannot be a text: ${String(error)}`;
  }
}

/** As loggers write errors, whose own JSON is empty: with all properties, hidden ones as well. */
function jsonOf(value: unknown): string {
  const write = (_key: string, item: unknown): unknown => {
    if (typeof item === 'bigint') return `${item}n`;
    if (!(item instanceof Error)) return item;
    return Object.fromEntries(
      Object.getOwnPropertyNames(item).map((name) => [name, Reflect.get(item, name)]),
    );
  };
  try {
    return `${JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? `${item}n` : item))} ${JSON.stringify(value, write)}`;
  } catch (error) {
    return `has no JSON: ${String(error)}`;
  }
}
