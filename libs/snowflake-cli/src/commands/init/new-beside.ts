import { InvalidOptionError } from 'nestjs-snowflake/core';
import { type Neighbours, neighboursText } from '../stores/neighbours.js';

const FLAG = '--new-beside';

/**
 * Refuses to make a namespace beside others unless the operator names one of them: the nearest one, if the new name looks like
 * a misspelling of it.
 *
 * @throws InvalidOptionError
 */
export function requireNewBeside(newBeside: string | undefined, beside: Neighbours): void {
  const { namespace, isStored, others, nearest } = beside;
  if (isStored) return;
  const [first] = others;
  const expected = nearest === undefined ? others : [nearest];
  if (newBeside === undefined ? first === undefined : expected.includes(newBeside)) return;
  const remedy =
    first === undefined
      ? 'Omit it: this server has no other namespace.'
      : `${neighboursText(beside)} Correct the namespace, or, if ${namespace} is an ID space of its own, add ${FLAG} ${first}.`;
  const problem = newBeside === undefined ? 'is missing' : 'is not the namespace to name';
  throw new InvalidOptionError(FLAG, newBeside, problem, remedy);
}
