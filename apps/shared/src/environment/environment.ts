import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { describedVariables } from './variables.js';

/** An environment variable, a file that it names, or an argument of the program is invalid. */
export class EnvironmentError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`Cannot start: ${problems.join('. ')}.`);
    this.name = EnvironmentError.name;
  }
}

/**
 * Reads and validates the environment that a class describes. An empty variable counts as unset, and an unset one takes its default.
 * Messages never contain values, because a URL can contain a password.
 *
 * @throws EnvironmentError that lists every problem
 */
export function environmentIn<Environment extends object>(
  variables: NodeJS.ProcessEnv,
  described: new () => Environment,
): Environment {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const environment = plainToInstance(described, given, { exposeDefaultValues: true });
  const order = describedVariables(described).map(({ name }) => name);
  const problems = validateSync(environment)
    .toSorted((one, other) => order.indexOf(one.property) - order.indexOf(other.property))
    .flatMap(({ constraints = {} }) => Object.values(constraints));
  if (problems.length > 0) throw new EnvironmentError([...new Set(problems)]);
  return environment;
}
