import { Argument, type Command } from 'commander';
import { bashCompletion } from '../completion/bash.js';
import { type ProgramWords, wordsOfProgram } from '../completion/command-words.js';
import { fishCompletion } from '../completion/fish.js';
import { zshCompletion } from '../completion/zsh.js';
import type { Terminal } from '../frame/terminal.js';

const SCRIPTS = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
} satisfies Record<string, (words: ProgramWords) => string>;

/** Adds `completion`. */
export function addCompletion(program: Command, terminal: Terminal): void {
  program
    .command('completion')
    .description('Print a script that completes commands and options in your shell.')
    .addArgument(new Argument('<shell>', 'shell that loads the script').choices(Object.keys(SCRIPTS)))
    .action((shell: keyof typeof SCRIPTS) => terminal.print(SCRIPTS[shell](wordsOfProgram(program))));
}
