import type { CommandWords, OptionWords, ProgramWords } from './command-words.js';

/** Returns a completion script for zsh: to source, or as a file `_nestjs-snowflake-cli` in a folder of `$fpath`. */
export function zshCompletion({ name, program, commands }: ProgramWords): string {
  return `#compdef ${name}
# Completion of ${name} for zsh. Load it after compinit with: source <(${name} completion zsh)
_${name}() {
  local -a known=(
${commands.map((command) => `    ${quoted(`${command.name}:${command.description}`)}`).join('\n')}
  )
  if ((CURRENT == 2)); then
    _describe command known
    _arguments ${program.options.map(argument).join(' ')}
    return
  fi
  local chosen=$words[2]
  shift words
  ((CURRENT--))
  case $chosen in
${commands.map(commandCase).join('\n')}
  esac
}
if [[ \${funcstack[1]} == _${name} ]]; then
  _${name} "$@"
else
  compdef _${name} ${name}
fi
`;
}

function commandCase({ name, options, choices }: CommandWords): string {
  // A message in place of the choices would keep zsh from completing options.
  const rest = choices.length > 0 ? [quoted(`*:value:(${choices.join(' ')})`)] : [];
  return `    ${name}) _arguments ${[...options.map(argument), ...rest].join(' ')} ;;`;
}

function argument({ long, description, value }: OptionWords): string {
  const explained = `${long}[${description.replace(/[[\]\\]/g, '\\$&')}]`;
  if (value === undefined) return quoted(explained);
  const values = value === 'file' ? '_files' : value === 'text' ? ' ' : `(${value.join(' ')})`;
  return quoted(`${explained}:value:${values}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
