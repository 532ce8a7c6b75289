import type { CommandWords, OptionWords, ProgramWords } from './command-words.js';

const FILES = `IFS=$'\\n'; compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$word")); return`;

/** Returns a completion script for bash 3.2 and later. */
export function bashCompletion({ name, program, commands }: ProgramWords): string {
  const first = [...commands.map((command) => command.name), ...program.options.map(({ long }) => long)];
  return `# Completion of ${name} for bash. Load it with: source <(${name} completion bash)
_nestjs_snowflake() {
  local IFS=$' \\t\\n' words='' word=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]}
  COMPREPLY=()
  if [[ $word == = ]]; then
    word=''
  elif [[ $previous == = ]]; then
    previous=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  if ((COMP_CWORD == 1)); then
    words='${first.join(' ')}'
  else
    case "\${COMP_WORDS[1]} $previous" in
${commands.flatMap(cases).join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -F _nestjs_snowflake ${name}
`;
}

/** Puts the values of the options first, because the last pattern matches any word. */
function cases({ name, options, choices }: CommandWords): string[] {
  const words = [...choices, ...options.map(({ long }) => long)];
  return [
    ...options.flatMap((option) => valueCase(name, option)),
    `      '${name} '*) words='${words.join(' ')}' ;;`,
  ];
}

function valueCase(command: string, { long, value }: OptionWords): string[] {
  if (value === undefined) return [];
  const action = value === 'file' ? FILES : value === 'text' ? 'return' : `words='${value.join(' ')}'`;
  return [`      '${command} ${long}') ${action} ;;`];
}
