import type { Command, Option } from 'commander';
import { layoutPresets } from 'nestjs-snowflake/core';

/** The words that can follow the name of the program and of each command. */
export interface ProgramWords {
  readonly name: string;
  readonly program: CommandWords;
  readonly commands: readonly CommandWords[];
}

export interface CommandWords {
  readonly name: string;
  readonly description: string;
  readonly options: readonly OptionWords[];
  /** The known values of its arguments. */
  readonly choices: readonly string[];
}

export interface OptionWords {
  /** With its dashes, such as `--codec`. */
  readonly long: string;
  readonly description: string;
  /** What follows it: a file, any text, or most often one of these. Undefined if nothing does. */
  readonly value?: 'file' | 'text' | readonly string[];
}

/** Values of options that take others, too. */
const SUGGESTED: Readonly<Record<string, readonly string[]>> = { '--layout': Object.keys(layoutPresets) };
/** The command that takes the name of another one. */
const HELP = 'help';

/** Returns the words of a program as its help shows them. */
export function wordsOfProgram(program: Command): ProgramWords {
  const described = program.createHelp().visibleCommands(program).map(wordsOf);
  const names = described.map(({ name }) => name).filter((name) => name !== HELP);
  const commands = described.map((words) => (words.name === HELP ? { ...words, choices: names } : words));
  return { name: program.name(), program: wordsOf(program), commands };
}

function wordsOf(command: Command): CommandWords {
  return {
    name: command.name(),
    description: command.description(),
    options: command.createHelp().visibleOptions(command).flatMap(optionWords),
    choices: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  };
}

function optionWords({ long, description, argChoices, flags, required, optional }: Option): OptionWords[] {
  if (!long) return [];
  const kind = /[<[]file/.test(flags) ? 'file' : 'text';
  const value = argChoices ?? SUGGESTED[long] ?? kind;
  return [{ long, description, value: required || optional ? value : undefined }];
}
