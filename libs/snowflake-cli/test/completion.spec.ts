import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireBinary } from '../../../test/support/servers/binaries.js';
import { runProgram } from './run-cli.js';
import { runHere } from './run-here.js';
import { cleanUpAfterAll, temporaryFolder } from '../../../test/support/clean-up.js';

/** Words before the cursor, and what completes the last one. */
const CASES: readonly { readonly words: readonly string[]; readonly completed: readonly string[] }[] = [
  { words: ['co'], completed: ['completion', 'compose', 'console'] },
  { words: ['dec'], completed: ['decode'] },
  { words: ['decode', '--ep'], completed: ['--epoch'] },
  { words: ['decode', '--codec', 'base'], completed: ['base32', 'base36', 'base62'] },
  { words: ['decode', '--layout', 'tw'], completed: ['twitter'] },
  { words: ['init', '--layout', 'tw'], completed: ['twitter'] },
  { words: ['help', 'dec'], completed: ['decode'] },
  { words: ['layout', '--wo'], completed: ['--workers'] },
  { words: ['completion', 'f'], completed: ['fish'] },
  { words: ['decode', '--options', 'app.'], completed: ['app.options.js'] },
  { words: ['range', '--epoch', ''], completed: [] },
];

const NEXT = '-- next --';

const folder = temporaryFolder(cleanUpAfterAll());
const file = (shell: string): string => join(folder, `completion.${shell}`);

beforeAll(async () => {
  writeFileSync(join(folder, 'app.options.js'), '');
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout } = await runHere(['completion', shell]);
    expect(code).toBe(0);
    writeFileSync(file(shell), stdout);
  }
});

/**
 * Runs scripts one after another in one shell without anybody's settings. The shell prints {@link NEXT} between them.
 *
 * @returns the lines that each prints
 */
async function runShell(
  shell: string,
  flags: readonly string[],
  start: string,
  scripts: readonly string[],
): Promise<string[][]> {
  const script = [start, ...scripts.map((each) => `${each}\necho '${NEXT}'`)].join('\n');
  const { code, stdout, stderr } = await runProgram(requireBinary(shell), [...flags, '-c', script], {
    cwd: folder,
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const parts = stdout.split(NEXT).slice(0, scripts.length);
  return parts.map((part) => part.split(/\r?\n/).filter((line) => line !== ''));
}

describe('the completion of bash', () => {
  const complete = (...lines: readonly (readonly string[])[]): Promise<string[][]> =>
    runShell(
      'bash',
      ['--norc', '--noprofile'],
      `source ${file('bash')}; set -- $(complete -p nestjs-snowflake-cli)`,
      lines.map(
        (words) => `COMP_WORDS=(nestjs-snowflake-cli ${words.map((word) => `'${word}'`).join(' ')})
          COMP_CWORD=${words.length}
          $3
          printf '%s\\n' "\${COMPREPLY[@]}"`,
      ),
    );

  it('completes commands, options, choices and files in bash', async () => {
    const found = await complete(...CASES.map(({ words }) => words));
    expect(found.map((each) => each.toSorted())).toEqual(CASES.map(({ completed }) => completed));
  });

  it('completes a value after = in bash', async () => {
    const [begun, empty] = await complete(['compose', '--codec', '=', 'h'], ['compose', '--codec', '=']);
    expect(begun).toEqual(['hex']);
    expect(empty).toContain('hex');
  });
});

describe('the completion of fish', () => {
  it('completes commands, options, choices and files in fish', async () => {
    const found = await runShell(
      'fish',
      ['--no-config'],
      `source ${file('fish')}`,
      CASES.map(({ words }) => `complete -C 'nestjs-snowflake-cli ${words.join(' ')}'`),
    );
    const words = found.map((lines) => lines.map((line) => line.split('\t')[0]).toSorted());
    expect(words).toEqual(CASES.map(({ completed }) => completed));
  });
});

describe('the completion of zsh', () => {
  /**
   * Types the words and Tab into a zsh on a pseudo-terminal, whose program prints its arguments. The terminal also shows what is
   * typed, so the marks are written in two parts.
   */
  const complete = (lines: readonly (readonly string[])[]): Promise<string[][]> =>
    runShell(
      'zsh',
      ['-f'],
      `zmodload zsh/zpty
       zpty shell zsh -f -i
       zpty -w shell "PS1='READY>'; autoload -Uz compinit; compinit -u -D; source ${file('zsh')}"
       zpty -w shell 'nestjs-snowflake-cli() { print "GI""VEN<$@>" }; print SOUR""CED'
       zpty -r shell seen '*SOURCED*'`,
      lines.map(
        (words) => `zpty -w -n shell "nestjs-snowflake-cli ${words.join(' ')}"$'\\t\\n'
          zpty -r shell seen '*GIVEN<*>*'
          print -r -- "\${seen#*GIVEN<}"`,
      ),
    );

  it('completes commands, options, choices and files in zsh', async () => {
    const single = CASES.filter(({ completed }) => completed.length === 1);
    const found = await complete(single.map(({ words }) => words));
    expect(found.map(([typed = '']) => typed.split('>')[0])).toEqual(
      single.map(({ words, completed }) => [...words.slice(0, -1), ...completed].join(' ')),
    );
  });
});
