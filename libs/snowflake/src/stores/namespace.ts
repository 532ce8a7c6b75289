import { InvalidOptionError } from '../core/errors/input-errors.js';
import { checkedBy } from '../core/options/option-rule.js';
import { spaceName } from '../core/options/space-name.js';

/** The rule of the name of an ID space. */
export const NAMESPACE = spaceName('shop');

/** The rule of the name of an ID space that is a part of a path. */
export const NAMESPACE_IN_PATH = checkedBy((option, value) => {
  const namespace = NAMESPACE.check(option, value);
  if (!/^\.{1,2}$/.test(namespace)) return namespace;
  throw new InvalidOptionError(option, namespace, 'is a step in a path', 'Use letters, e.g. shop.');
});
