import { InvalidOptionError } from '../core/errors/input-errors.js';
import { isSpaceName } from '../core/options/space-name.js';

/**
 * Returns the name of an ID space.
 *
 * @param option the option as the user writes it
 * @throws InvalidOptionError if it isn't a name of 1 to 128 characters of `A-Z a-z 0-9 _ . : -`
 */
export function requireNamespace(namespace: unknown, option = 'namespace'): string {
  if (isSpaceName(namespace)) return namespace;
  const problem = 'must have 1 to 128 characters of A-Z a-z 0-9 _ . : -';
  throw new InvalidOptionError(option, namespace, problem, "Choose a short name, e.g. 'shop'.");
}
