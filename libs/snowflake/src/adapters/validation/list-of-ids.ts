import type { ValidationArguments } from 'class-validator';

/**
 * Whether the value is what `each` asks for. With `each`, class-validator validates the items of an array, a set or a map, but a value
 * that is none of them as a whole, so one ID would pass for a list of IDs.
 */
export function isListOfIds(args: ValidationArguments | undefined): boolean {
  const value: unknown = args?.value;
  return Array.isArray(value) || value instanceof Set || value instanceof Map;
}

/** Returns the message for a client that sent something else. */
export function notAList(args: ValidationArguments | undefined): string {
  return `${args?.property ?? 'The value'} is not a list of IDs. Send an array, even for a single ID.`;
}
