import { BitLayout } from 'nestjs-snowflake/core';
import { runCommandLine } from '../../libs/snowflake-cli/src/command-line.js';
import { MemoryTerminal } from '../../libs/snowflake-cli/test/memory-terminal.js';
import { MAIN, runProgram } from '../../libs/snowflake-cli/test/run-cli.js';
import { cleanUpAfterAll, temporaryFolder } from '../support/clean-up.js';
import { codeIn } from './markdown.js';
import { PageCode, testThatAllHaveRun } from './page-code.js';

const code = new PageCode('docs/reference/cli.md');
const { page } = code;
const folder = temporaryFolder(cleanUpAfterAll());

/** Command lines with what the page prints below them. Those that need a server have a spec of their own. */
const SHOWN = page
  .blocksIn('console')
  .flatMap(({ text }) => text.split(/^\$ /m).slice(1))
  .map((shown) => {
    const end = shown.indexOf('\n');
    return { line: shown.slice(0, end), output: shown.slice(end + 1) };
  })
  .filter(({ line }) => !/nestjs-snowflake-cli (workers|init|doctor)\b| --redis /.test(line));

/** Help of a command as the program prints it. */
async function helpOf(...command: string[]): Promise<string> {
  const terminal = new MemoryTerminal();
  await runCommandLine(['help', ...command], terminal);
  return terminal.output;
}

describe('the page of the command line', () => {
  it.each(SHOWN)('shows what the program prints for $line', async ({ line, output }) => {
    const npx = `npx() { shift; '${process.execPath}' '${MAIN}' "$@"; }`;
    const end = await runProgram('bash', ['-c', `${npx}; ${line}`], { cwd: folder });
    expect(end).toEqual({ code: 0, stdout: output, stderr: '' });
  });

  it('shows every command that needs no server, and has a section for each command', async () => {
    const listed = (await helpOf()).split('Commands:')[1] ?? '';
    const commands = [...listed.matchAll(/^ {2}(\w+) /gm)]
      .map(([, name = '']) => name)
      .filter((name) => name !== 'help');
    expect(commands.length).toBeGreaterThanOrEqual(5);
    const [table] = page.tables;
    expect(table?.rows.map(([command = '']) => codeIn(command)[0]).sort()).toEqual([...commands].sort());
    expect(page.headings).toEqual(expect.arrayContaining(commands));
  });

  it('names every option of the commands that it explains', async () => {
    for (const command of ['decode', 'range', 'compose', 'layout']) {
      const options = [...(await helpOf(command)).matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(
        ([, name]) => name,
      );
      expect(options.length).toBeGreaterThan(3);
      for (const option of options) if (option !== '--help') expect(page.text).toContain(option);
    }
  });

  it('has the fingerprint of the default layout', () => {
    expect(codeIn(page.prose)).toContain(new BitLayout().fingerprint);
  });

  it('shows options that make a layout', async () => {
    process.env.REDIS_URL = 'redis://localhost:6379';
    type Options = () => { layout: object; epoch: string };
    const { layout, epoch } = (await code.run<Options>('snowflake.options.ts', 'snowflakeOptions'))();
    expect(new BitLayout(layout, epoch).maxWorkerId).toBe(255);
  });
});

testThatAllHaveRun(code);
