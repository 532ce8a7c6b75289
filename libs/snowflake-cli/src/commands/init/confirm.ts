import { InvalidOptionError } from 'nestjs-snowflake/core';
import type { Terminal } from '../../frame/terminal.js';

/** Asks the operator to type the description of the namespace. @throws InvalidOptionError without a terminal */
export async function isConfirmed(terminal: Terminal, question: string, answer: string): Promise<boolean> {
  if (!terminal.isErrorInteractive || !terminal.isInputInteractive) {
    const remedy = 'Nobody can confirm here. Add --yes if you know that the namespace is new.';
    throw new InvalidOptionError('--yes', undefined, 'is missing', remedy);
  }
  terminal.printError(question);
  for await (const line of terminal.inputLines()) return line.trim() === answer;
  return false;
}
