import type { CommandWords, OptionWords, ProgramWords } from './command-words.js';

/** Returns a completion script for fish. */
export function fishCompletion({ name, program, commands }: ProgramWords): string {
  const lines = [
    `# Completion of ${name} for fish. Load it with: ${name} completion fish | source`,
    `complete -c ${name} -f`,
    ...program.options.map((option) => `complete -c ${name} -n __fish_use_subcommand ${flags(option)}`),
    ...commands.flatMap((command) => ofCommand(name, command)),
  ];
  return `${lines.join('\n')}\n`;
}

function ofCommand(program: string, { name, description, options, choices }: CommandWords): string[] {
  const within = `complete -c ${program} -n ${quoted(`__fish_seen_subcommand_from ${name}`)}`;
  return [
    `complete -c ${program} -n __fish_use_subcommand -a ${name} -d ${quoted(description)}`,
    ...(choices.length > 0 ? [`${within} -a ${quoted(choices.join(' '))}`] : []),
    ...options.map((option) => `${within} ${flags(option)}`),
  ];
}

function flags({ long, description, value }: OptionWords): string {
  const explained = `-l ${long.replace('--', '')} -d ${quoted(description)}`;
  if (value === undefined) return explained;
  const values = value === 'file' ? '-r -F' : value === 'text' ? '-x' : `-x -a ${quoted(value.join(' '))}`;
  return `${explained} ${values}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
}
