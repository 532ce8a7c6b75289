import { InvalidOptionError } from 'nestjs-snowflake/core';
import type { Terminal } from '../../frame/terminal.js';

/** Prompts the operator and compares the typed line with `answer`. @throws InvalidOptionError without a terminal */
export async function isConfirmed(terminal: Terminal, question: string, answer: string): Promise<boolean> {
  if (!terminal.isErrorInteractive || !terminal.isInputInteractive) {
    const remedy =
      'Without a terminal, init cannot ask for confirmation. Add --yes if you are sure that the namespace is new.';
    throw new InvalidOptionError('--yes', undefined, 'is missing', remedy);
  }
  terminal.printError(question);
  for await (const line of terminal.inputLines()) return line.trim() === answer;
  return false;
}
