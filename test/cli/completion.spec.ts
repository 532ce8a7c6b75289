import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireBinary } from '../support/servers/binaries.js';
import { runCli, runProgram } from './run-cli.js';

/** Words before the cursor, and what completes the last one. */
const CASES: readonly { readonly words: readonly string[]; readonly completed: readonly string[] }[] = [
  { words: ['co'], completed: ['completion', 'compose', 'console'] },
  { words: ['dec'], completed: ['decode'] },
  { words: ['decode', '--e'], completed: ['--epoch'] },
  { words: ['decode', '--codec', 'base'], completed: ['base32', 'base36', 'base62'] },
  { words: ['layout', '--wo'], completed: ['--workers'] },
  { words: ['completion', 'f'], completed: ['fish'] },
  { words: ['decode', '--options', 'app.'], completed: ['app.options.js'] },
  { words: ['range', '--epoch', ''], completed: [] },
];

const folder = mkdtempSync(join(tmpdir(), 'snowflake-completion-'));
const file = (shell: string): string => join(folder, `completion.${shell}`);

beforeAll(async () => {
  writeFileSync(join(folder, 'app.options.js'), '');
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout } = await runCli(['completion', shell]);
    expect(code).toBe(0);
    writeFileSync(file(shell), stdout);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a script in a shell without anybody's settings. Resolves to the lines that it prints. */
async function runShell(shell: string, flags: readonly string[], script: string): Promise<string[]> {
  const { code, stdout, stderr } = await runProgram(requireBinary(shell), [...flags, '-c', script], {
    cwd: folder,
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.split(/\r?\n/).filter((line) => line !== '');
}

describe('the completion of bash', () => {
  const complete = (words: readonly string[]): Promise<string[]> =>
    runShell(
      'bash',
      ['--norc', '--noprofile'],
      `source ${file('bash')}
       set -- $(complete -p nestjs-snowflake)
       COMP_WORDS=(nestjs-snowflake ${words.map((word) => `'${word}'`).join(' ')})
       COMP_CWORD=${words.length}
       $3
       printf '%s\\n' "\${COMPREPLY[@]}"`,
    );

  it.each(CASES)('completes $words', async ({ words, completed }) => {
    expect((await complete(words)).sort()).toEqual(completed);
  });

  it('completes a value after =', async () => {
    expect(await complete(['compose', '--codec', '=', 'h'])).toEqual(['hex']);
    expect(await complete(['compose', '--codec', '='])).toContain('hex');
  });
});

describe('the completion of fish', () => {
  it.each(CASES)('completes $words', async ({ words, completed }) => {
    const line = `nestjs-snowflake ${words.join(' ')}`;
    const lines = await runShell('fish', ['--no-config'], `source ${file('fish')}; complete -C '${line}'`);
    expect(lines.map((each) => each.split('\t')[0]).sort()).toEqual(completed);
  });
});

describe('the completion of zsh', () => {
  /**
   * Types the words and Tab into a zsh on a pseudo-terminal, whose program prints its arguments. The terminal also shows what is
   * typed, so the marks are written in two parts.
   */
  const complete = (words: readonly string[]): Promise<string[]> =>
    runShell(
      'zsh',
      ['-f'],
      `zmodload zsh/zpty
       zpty shell zsh -f -i
       zpty -w shell "PS1='READY>'; autoload -Uz compinit; compinit -u -D; source ${file('zsh')}"
       zpty -w shell 'nestjs-snowflake() { print "GI""VEN<$@>" }; print SOUR""CED'
       zpty -r shell seen '*SOURCED*'
       zpty -w -n shell "nestjs-snowflake ${words.join(' ')}"$'\\t\\n'
       zpty -r shell seen '*GIVEN<*>*'
       print -r -- "\${seen#*GIVEN<}"
       zpty -d shell`,
    );

  it.each(CASES.filter(({ completed }) => completed.length === 1))(
    'completes $words',
    async ({ words, completed }) => {
      const [typed = ''] = await complete(words);
      expect(typed).toContain(`${[...words.slice(0, -1), ...completed].join(' ')}>`);
    },
  );
});
