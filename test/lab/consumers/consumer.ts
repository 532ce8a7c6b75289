import { execFile, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify, stripVTControlCharacters } from 'node:util';
import { unwatch, watch } from '../../support/servers/watch.js';
import { waitFor, within } from '../../support/wait.js';

const APPS = fileURLToPath(new URL('.', import.meta.url));
const COMMAND_WITHIN_MS = 540_000;
/** Bound on one test: an installation takes minutes on a busy machine. */
export const STEP_WITHIN_MS = 600_000;
const START_WITHIN_MS = 120_000;
const STOP_WITHIN_MS = 120_000;
/** Leftovers of somebody who tried an app in place. */
const NOT_COPIED = /\/(node_modules|dist|package-lock\.json)$/;
const OURS =
  /snowflake|ERESOLVE|peer|@nestjs\/(common|core|schedule)\b|@noble|\b(ioredis|reflect-metadata|rxjs|typeorm)\b/i;
const QUIET = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'];

/** What a command printed. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

/** How a process ended, and what it printed. */
export interface Ended extends Printed {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** An app of a user: a copy of one beside this file, in a folder that sees no package of this repository. */
export class Consumer {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'snowflake-consumer-')));

  constructor(
    app: string,
    /** Environment variables of all its processes. */
    private readonly settings: NodeJS.ProcessEnv = {},
  ) {
    cpSync(join(APPS, app), this.folder, { recursive: true, filter: (path) => !NOT_COPIED.test(path) });
  }

  /** Installs packages with npm. @throws Error with what npm printed, if it refuses */
  install(...packages: string[]): Promise<Printed> {
    return this.run('npm', 'install', ...QUIET, ...packages);
  }

  /** Lets npm decide on versions of packages, without downloading them. @throws Error as `install()` */
  resolve(...packages: string[]): Promise<Printed> {
    return this.install('--package-lock-only', ...packages);
  }

  /** Runs a command. @throws Error with what it printed, if it fails */
  async run(command: string, ...args: string[]): Promise<Printed> {
    const options = { cwd: this.folder, timeout: COMMAND_WITHIN_MS, env: this.env() };
    return promisify(execFile)(command, args, options).catch((error: Error & Printed) => {
      throw new Error([error.message, error.stdout, error.stderr].join('\n'), { cause: error });
    });
  }

  /** Runs a script of its package.json, and returns its output without colors and without the lines of npm. */
  async script(name: string, ...args: string[]): Promise<string> {
    const { stdout, stderr } = await this.run('npm', 'run', name, '--', ...args);
    return stripVTControlCharacters(stdout + stderr).replaceAll(/^npm warn .*$/gm, '');
  }

  /** Starts a file that prints a URL, visits it, ends the process with a signal, and waits for that. */
  async serve(
    file: string,
    visit: (url: string) => Promise<void>,
    signal: NodeJS.Signals = 'SIGTERM',
  ): Promise<Ended> {
    const child = spawn(process.execPath, [file], { cwd: this.folder, env: this.env() });
    const { pid = 0 } = child;
    watch(pid, 'SIGKILL');
    const printed = { stdout: '', stderr: '' };
    child.stdout.on('data', (text: Buffer) => (printed.stdout += text.toString()));
    child.stderr.on('data', (text: Buffer) => (printed.stderr += text.toString()));
    const ended = new Promise<Ended>((resolve) =>
      child.once('close', (code, by) => resolve({ ...printed, code, signal: by })),
    );
    try {
      await visit(
        await waitFor(
          () => `a URL: ${printed.stderr}`,
          START_WITHIN_MS,
          () => urlIn(printed),
        ),
      );
      child.kill(signal);
      return await within('the app to stop', STOP_WITHIN_MS, ended);
    } finally {
      child.kill('SIGKILL');
      unwatch(pid);
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Of a shell of the user: Jest and npm leave settings in that of this process. */
  private env(): NodeJS.ProcessEnv {
    const foreign = /^(npm_|NODE_OPTIONS$|NODE_PATH$|NODE_ENV$|JEST_)/;
    const shell = Object.entries(process.env).filter(([name]) => !foreign.test(name));
    return { ...Object.fromEntries(shell), PORT: '0', ...this.settings };
  }
}

function urlIn({ stdout }: Printed): string | undefined {
  // With the end of its line, because the output may come in pieces.
  return /(http:\/\/\S+)\s/.exec(stdout)?.[1];
}

/** Returns the warnings of npm that name the library, its peers or a conflict; others are not ours. */
export function warningsOfOurs({ stdout, stderr }: Printed): string[] {
  const lines = `${stdout}\n${stderr}`.split('\n').filter((line) => /^npm (warn|error)/i.test(line));
  return lines.filter((line) => OURS.test(line));
}
