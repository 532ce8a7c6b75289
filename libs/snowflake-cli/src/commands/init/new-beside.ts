import { InvalidOptionError } from 'nestjs-snowflake/core';
import { type Neighbors, neighborsText } from '../stores/neighbors.js';

const FLAG = '--new-beside';

/**
 * Refuses to create a namespace on a server with others unless the operator names one of them. If the new name looks like a misspelling of
 * an existing one, the operator must name that one.
 *
 * @throws InvalidOptionError
 */
export function requireNewBeside(newBeside: string | undefined, neighbors: Neighbors): void {
  const { namespace, isStored, others, nearest } = neighbors;
  const [first] = others;
  if (isStored || (first === undefined && newBeside === undefined)) return;
  const accepted = nearest === undefined ? others : [nearest];
  if (newBeside !== undefined && accepted.includes(newBeside)) return;
  const remedy =
    first === undefined
      ? 'Omit it: this server has no other namespace.'
      : `${neighborsText(neighbors)} Correct the namespace, or, if ${namespace} is a separate ID space, add ${FLAG} ${first}.`;
  const problem =
    newBeside === undefined ? 'is missing' : 'is not the existing namespace that init expects here';
  throw new InvalidOptionError(FLAG, newBeside, problem, remedy);
}
