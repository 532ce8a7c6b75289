import { runCli, runProgram, MAIN } from './run-cli.js';

const ID = '382475217496248322';
const ESCAPE = '\u001b[';

/** Runs a command line of bash, in which `cli` is the program. */
const bash = (script: string, env: NodeJS.ProcessEnv = {}): ReturnType<typeof runProgram> =>
  runProgram('bash', ['-c', `cli() { '${process.execPath}' '${MAIN}' "$@"; }; ${script}`], { env });

/** Runs the program on a pseudo-terminal. */
const onTerminal = (args: string, env: NodeJS.ProcessEnv): ReturnType<typeof runProgram> =>
  runProgram('script', ['-qec', `'${process.execPath}' '${MAIN}' ${args}`, '/dev/null'], {
    env: { TERM: 'xterm-256color', ...env },
  });

describe('colors', () => {
  it('are shown on a terminal, one for each field', async () => {
    const { stdout } = await onTerminal(`decode ${ID}`, {});
    const colors = [...stdout.matchAll(/\[(3\dm)[01]+/g)].map(([, color]) => color);
    expect(colors).toHaveLength(3);
    expect(new Set(colors).size).toBe(3);
  });

  it.each([{ NO_COLOR: '1' }, { TERM: 'dumb' }])('are not shown with %j', async (env) => {
    const { stdout } = await onTerminal(`decode ${ID}`, env);
    expect(stdout).toContain('UTC    2026-11-21T10:19:57.897Z');
    expect(stdout).not.toContain(ESCAPE);
  });

  it('are not written into a pipe', async () => {
    expect((await runCli(['decode', ID])).stdout).not.toContain(ESCAPE);
  });
});

describe('the end of the output', () => {
  it('is quiet when the reader has enough', async () => {
    const { code, stdout, stderr } = await bash(
      `yes ${ID} | cli decode --json | head -n 2; echo "\${PIPESTATUS[1]}"`,
    );
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout.split('\n').slice(2)).toEqual(['0', '']);
  });

  it('is an error if the disk is full', async () => {
    const { stdout, stderr } = await bash(`cli decode ${ID} >/dev/full; echo $?`);
    expect(stdout).toBe('1\n');
    expect(stderr).toMatch(/^error: .*ENOSPC.*\n$/);
  });
});

describe('errors', () => {
  it.each([
    { args: [], problem: 'Usage: nestjs-snowflake' },
    { args: ['decoed', ID], problem: 'Did you mean decode?' },
    { args: ['decode', '--jsn', ID], problem: 'Did you mean --json?' },
    { args: ['decode', '--codec', 'base64', ID], problem: 'Allowed choices are decimal' },
    { args: ['decode', '--layout', '41/10', ID], problem: 'Use a preset (twitter, discord' },
    { args: ['decode', '--layout', '41/12/12', ID], problem: '[SNOWFLAKE_INVALID_OPTION]' },
    { args: ['decode', '--epoch', '2024', '--layout', 'Twitter', ID], problem: '--layout is not a layout' },
    { args: ['decode', '--epoch', '2024-01-01T00:00', ID], problem: "Add 'Z' for UTC" },
    { args: ['layout', '--years', '5', '--workers', '8'], problem: "required option '--rate <count>'" },
    { args: ['completion', 'powershell'], problem: 'Allowed choices are bash, zsh, fish' },
  ])('of use are told without a stack, with exit code 2: $args', async ({ args, problem }) => {
    const { code, stdout, stderr } = await runCli(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(problem);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

describe('help', () => {
  it.each([['--help'], ['help'], ['decode', '--help'], ['help', 'range']])(
    'is printed: %s %s',
    async (...words) => {
      const { code, stdout, stderr } = await runCli(words.filter((word) => typeof word === 'string'));
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^Usage: nestjs-snowflake/);
    },
  );

  it('names the exit codes', async () => {
    const { stdout } = await runCli(['--help']);
    expect(stdout).toContain('Exit codes: 0 fine, 1 finding or failure, 2 wrong usage, 3 nothing to do.');
  });

  it('has the version of the package', async () => {
    expect((await runCli(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/);
  });
});
