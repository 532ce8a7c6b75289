import { EnvironmentError } from './environment.js';

/** The name of an argument, without its value, which can be a secret. */
const NAME = /^[\w-]*/;

/** Returns whether the arguments of a program ask for its help. @throws EnvironmentError if there are others */
export function asksForHelp(args: readonly string[]): boolean {
  if (args.includes('--help')) return true;
  const [unknown] = args;
  if (unknown === undefined) return false;
  const name = NAME.exec(unknown)?.[0];
  throw new EnvironmentError([
    `the argument ${name} is unknown. Set environment variables instead, which --help lists`,
  ]);
}
