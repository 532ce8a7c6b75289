import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { pathToFileURL } from 'node:url';
import { runCommandLine } from '../src/command-line.js';
import { awkwardPassword } from '../../../test/security/support/secret.js';
import { cleanUpAfterAll, temporaryFolder } from '../../../test/support/clean-up.js';
import { MemoryTerminal } from './memory-terminal.js';
import { runCli, runProgram, MAIN } from './run-cli.js';
import { runHere } from './run-here.js';

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

describe('the colors of the output', () => {
  it('shows each field in its own color on a terminal', async () => {
    const { stdout } = await onTerminal(`decode ${ID}`, {});
    const colors = [...stdout.matchAll(/\[(3\dm)[01]+/g)].map(([, color]) => color);
    expect(colors).toHaveLength(3);
    expect(new Set(colors).size).toBe(3);
  });

  it.each([{ NO_COLOR: '1' }, { TERM: 'dumb' }])('shows no colors with %j', async (env) => {
    const { stdout } = await onTerminal(`decode ${ID}`, env);
    expect(stdout).toContain('UTC    2026-11-21T10:19:57.897Z');
    expect(stdout).not.toContain(ESCAPE);
  });

  it('writes no colors into a pipe', async () => {
    expect((await runCli(['decode', ID])).stdout).not.toContain(ESCAPE);
  });
});

describe('the end of the output', () => {
  it('ends quietly when the reader of a pipe closes it', async () => {
    const { code, stdout, stderr } = await bash(
      `yes ${ID} | cli decode --json | head -n 2; echo "\${PIPESTATUS[1]}"`,
    );
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout.split('\n').slice(2)).toEqual(['0', '']);
  });

  it('fails with an error if the disk is full', async () => {
    const { stdout, stderr } = await bash(`cli decode ${ID} >/dev/full; echo $?`);
    expect(stdout).toBe('1\n');
    expect(stderr).toMatch(/^error: .*ENOSPC.*\n$/);
  });
});

describe('a mistake in the arguments', () => {
  it('ends the process with exit code 2, and writes nothing but the error', async () => {
    const { code, stdout, stderr } = await runCli(['decoed', ID]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('Did you mean decode?');
  });

  it.each([
    { args: [], problem: 'Usage: nestjs-snowflake-cli' },
    { args: ['decoed', ID], problem: 'Did you mean decode?' },
    { args: ['decode', '--jsn', ID], problem: 'Did you mean --json?' },
    { args: ['decode', '--codec', 'base64', ID], problem: 'Allowed choices are decimal' },
    { args: ['decode', '--layout', '41/10', ID], problem: 'twitter, discord' },
    { args: ['decode', '--layout', '41/12/12', ID], problem: '[SNOWFLAKE_INVALID_OPTION]' },
    { args: ['decode', '--layout', '41/10/13', ID], problem: '64 bits, and an ID has 63 at most' },
    { args: ['decode', '--layout', 'twiter', ID], problem: 'Did you mean twitter?' },
    { args: ['decode', '--epoch', '2024', '--layout', 'Twitter', ID], problem: '--layout' },
    { args: ['decode', '--epoch', '2024-01-01T00:00', ID], problem: "Add 'Z' for UTC" },
    { args: ['layout', '--years', '5', '--workers', '8'], problem: '--rate' },
    { args: ['workers'], problem: '--redis is missing' },
    { args: ['workers', '--redis', 'redis://127.0.0.1:1'], problem: '--namespace is missing' },
    {
      args: ['init', '--redis', 'redis://127.0.0.1:1', '--namespace', 'shop'],
      problem: '--yes is missing',
    },
    ...['doctor', 'workers', 'console'].map((command) => ({
      args: [command, '--redis', 'redis://127.0.0.1:1', '--namespace', 'my shop'],
      problem: '--namespace',
    })),
    {
      args: ['doctor', '--redis', '127.0.0.1:4720', '--namespace', 'shop'],
      problem: '(given: "(not shown)")',
    },
    {
      args: ['doctor', '--database', 'postgres://u:top%secret@127.0.0.1/x', '--namespace', 'shop'],
      problem: '--database',
    },
    {
      args: ['doctor', '--database', 'sqlite:x', '--namespace', 'shop', '--table', 'a b'],
      problem: '--table',
    },
    { args: ['completion', 'powershell'], problem: 'Allowed choices are bash, zsh, fish' },
  ])('prints the mistake in $args without a stack, with exit code 2', async ({ args, problem }) => {
    const { code, stdout, stderr } = await runHere(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(problem);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

describe('a URL with a password that is not percent-encoded, or in the wrong place', () => {
  const secret = awkwardPassword('the password');
  const encoded = encodeURIComponent(secret.text);
  const urls = [
    `http://app:${encoded}@127.0.0.1/`,
    `http://app:${secret.text}@127.0.0.1/`,
    `redis://app:${secret.text}@127.0.0.1`,
    `redis://${secret.text}@127.0.0.1`,
    `redis://app:${encoded}%zz@127.0.0.1`,
    `redis://app:1#${secret.text}@127.0.0.1`,
    `redis://${encoded}?x=${secret.text}@127.0.0.1`,
    `app:${secret.text}@127.0.0.1:6379`,
    `${encoded}@127.0.0.1:6379`,
    `postgres://app:${secret.text}@127.0.0.1/shop`,
    `postgres://app:${encoded}%zz@127.0.0.1/shop`,
    `postgres://${secret.text.replaceAll(/[@:[]/g, '')}@127.0.0.1/shop`,
    `mysql://app:1#${secret.text}@127.0.0.1/shop`,
    `oracle://app:${encoded}@127.0.0.1/shop`,
  ];

  it.each(['doctor', 'workers', 'init --yes', 'console'])(
    'makes %s refuse the URL without showing it',
    async (command) => {
      const words = [...command.split(' '), '--namespace', 'shop'];
      for (const url of urls) {
        for (const given of [
          ['--redis', url],
          ['--database', url],
          [`--rediss=${url}`],
          ['--options', url],
          [url],
        ]) {
          const terminal = new MemoryTerminal();
          const isRedis = given[0] === '--database' ? 'redis' : 'postgres';
          if (url.startsWith(isRedis) && given[0] !== '--options') continue;
          const code = await runCommandLine([...words, ...given], terminal);
          const printed = terminal.output + terminal.errors;
          expect({ url, given: given[0], code, forms: secret.formsIn(printed) }).toEqual({
            url,
            given: given[0],
            code: 2,
            forms: [],
          });
        }
      }
    },
  );
});

it('hides an unknown command that can be a URL', async () => {
  const secret = awkwardPassword('the password');
  const terminal = new MemoryTerminal();
  expect(await runCommandLine([`app:${secret.text}@127.0.0.1`], terminal)).toBe(2);
  expect(terminal.errors).toContain("unknown command '(not shown)'");
  expect(secret.formsIn(terminal.errors)).toEqual([]);
});

describe('a server that does not answer', () => {
  /** Runs a command on a server that accepts connections and is silent. Resolves to what it prints as errors. */
  async function errorsOn(terminal: MemoryTerminal, url: (port: number) => string[]): Promise<string> {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => sockets.add(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => {
      silent.listen(0, '127.0.0.1', resolve);
    });
    const { port } = silent.address() as AddressInfo;
    try {
      const words = ['workers', ...url(port), '--namespace', 'shop', '--timeout-ms', '3500'];
      expect(await runCommandLine(words, terminal)).toBe(1);
      return terminal.errors;
    } finally {
      for (const socket of sockets) socket.destroy();
      silent.close();
    }
  }
  const person = (): MemoryTerminal => Object.assign(new MemoryTerminal(), { isErrorInteractive: true });

  it.each([
    ['Redis', (port: number) => ['--redis', `redis://app:s3cret@127.0.0.1:${port}`]],
    ['the database', (port: number) => ['--database', `postgres://app:s3cret@127.0.0.1:${port}/shop`]],
  ])(
    'makes a command count down for a person while it connects to %s, without the password',
    async (name, url) => {
      const errors = await errorsOn(person(), url);
      const lines = stripVTControlCharacters(errors).split(/[\r\n]+/);
      expect(lines.filter((line) => line.startsWith('Connecting'))).toEqual(
        expect.arrayContaining([`Connecting to ${name} … 3 s left`, `Connecting to ${name} … 2 s left`]),
      );
      expect(lines.some((line) => line.startsWith('error: '))).toBe(true);
      expect(errors).not.toContain('s3cret');
    },
  );

  it('shows no such note to a script (control)', async () => {
    const url = (port: number): string[] => ['--redis', `redis://127.0.0.1:${port}`];
    expect(await errorsOn(new MemoryTerminal(), url)).toMatch(/^error: /);
  });
});

describe('the start of a command', () => {
  const folder = temporaryFolder(cleanUpAfterAll());

  /** Runs the program. Resolves to the modules of this package that it loads. */
  async function modulesOf(...args: readonly string[]): Promise<string[]> {
    const list = join(folder, `${args[0]}.txt`);
    const hook = new URL('./list-loaded-files.mjs', import.meta.url).href;
    const { code } = await runProgram(process.execPath, ['--import', hook, MAIN, ...args], {
      env: { LOADED_FILES: list },
    });
    expect(code).toBe(0);
    const own = new URL('./', pathToFileURL(MAIN)).href;
    const urls = readFileSync(list, 'utf8').split('\n');
    return urls.flatMap((url) => (url.startsWith(own) ? [url.slice(own.length)] : []));
  }

  it('loads no other command, and no store, which would double its time', async () => {
    const loaded = await modulesOf('decode', ID);
    expect(loaded.filter((name) => /^commands\/[^/]+$/.test(name))).toEqual(['commands/decode.js']);
    expect(loaded).not.toContain('commands/stores/make-store.js');
    // Control: the help describes all commands.
    expect(await modulesOf('--help')).toEqual(
      expect.arrayContaining(['commands/workers.js', 'commands/stores/make-store.js']),
    );
  });
});

describe('help', () => {
  it.each([['--help'], ['help'], ['decode', '--help'], ['help', 'range']])(
    'prints the help for the words %s %s',
    async (...words) => {
      const { code, stdout, stderr } = await runHere(words.filter((word) => typeof word === 'string'));
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^Usage: nestjs-snowflake/);
    },
  );

  it('prints the exit codes in the help', async () => {
    const { stdout } = await runHere(['--help']);
    expect(stdout).toMatch(/Exit codes: 0 \w+, 1 .*failure.*, 2 .*usage, 3 /);
  });

  it('prints the version of the package', async () => {
    expect((await runHere(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/);
  });
});
