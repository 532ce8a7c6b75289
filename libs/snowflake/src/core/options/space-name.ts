import { fitting, type OptionRule } from './option-rule.js';

/** Returns whether a value can name an ID space or a tag: 1 to 128 characters of `A-Z a-z 0-9 _ . : -`. */
export function isSpaceName(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9_.:-]{1,128}$/.test(value);
}

/** Returns the rule of a name that {@link isSpaceName} accepts. @param example a name that fits what is named */
export function spaceName(example: string): OptionRule<string> {
  const problem = 'must have 1 to 128 characters of A-Z a-z 0-9 _ . : -';
  return fitting(isSpaceName, problem, `Choose a short name, e.g. '${example}'.`);
}
