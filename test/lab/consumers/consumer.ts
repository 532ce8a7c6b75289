import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify, stripVTControlCharacters } from 'node:util';
import { AppProcess, type Ended, type Printed } from './app-process.js';

const APPS = fileURLToPath(new URL('.', import.meta.url));
const COMMAND_WITHIN_MS = 540_000;
/** Bound on one test: an installation takes minutes on a busy machine. */
export const STEP_WITHIN_MS = 600_000;
/** Leftovers of somebody who tried an app in place. */
const NOT_COPIED = /\/(node_modules|dist|package-lock\.json)$/;
const OURS =
  /snowflake|ERESOLVE|peer|@nestjs\/(common|core|schedule)\b|@noble|\b(ioredis|reflect-metadata|rxjs|typeorm)\b/i;
const QUIET = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'];

/** An app of a user: a copy of one beside this file or elsewhere, or an empty one, in a folder that sees no package of this repository. */
export class Consumer {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'snowflake-consumer-')));

  constructor(
    app?: string,
    /** Environment variables of all its processes. */
    private readonly settings: NodeJS.ProcessEnv = {},
  ) {
    if (app === undefined) writeFileSync(join(this.folder, 'package.json'), '{ "private": true }');
    else
      cpSync(resolve(APPS, app), this.folder, { recursive: true, filter: (path) => !NOT_COPIED.test(path) });
  }

  /** Installs packages with npm. @throws Error with what npm printed, if it refuses */
  install(...packages: string[]): Promise<Printed> {
    return this.run('npm', 'install', ...QUIET, ...packages);
  }

  /** Lets npm decide on versions of packages, without downloading them. @throws Error as `install()` */
  resolve(...packages: string[]): Promise<Printed> {
    return this.install('--package-lock-only', ...packages);
  }

  /**
   * Runs a command, which may be one of an installed package, as a script of its package.json finds it.
   *
   * @throws Error with what it printed, if it fails
   */
  async run(command: string, ...args: string[]): Promise<Printed> {
    const env = this.env();
    const path = [join(this.folder, 'node_modules/.bin'), env.PATH].join(delimiter);
    const options = { cwd: this.folder, timeout: COMMAND_WITHIN_MS, env: { ...env, PATH: path } };
    return promisify(execFile)(command, args, options).catch((error: Error & Printed) => {
      throw new Error([error.message, error.stdout, error.stderr].join('\n'), { cause: error });
    });
  }

  /** Runs a script of its package.json as `npm run` does, without the half second of npm, and returns its output without colors. */
  async script(name: string, ...args: string[]): Promise<string> {
    const manifest = readFileSync(join(this.folder, 'package.json'), 'utf8');
    const { scripts } = JSON.parse(manifest) as { scripts: Record<string, string> };
    const { stdout, stderr } = await this.run('sh', '-c', `${scripts[name]} "$@"`, name, ...args);
    return stripVTControlCharacters(stdout + stderr);
  }

  /** Starts a file that prints a URL, with more environment variables. @throws Error if it prints none */
  start(file: string, settings: NodeJS.ProcessEnv = {}): Promise<AppProcess> {
    // As `nest start` of a developer, so that an app whose leases are on this machine does not wait for lost ones.
    return AppProcess.start(file, this.folder, { ...this.env(), NODE_ENV: 'development', ...settings });
  }

  /** Starts a file that prints a URL, visits it, ends the process with a signal, and waits for that. */
  async serve(
    file: string,
    visit: (url: string) => Promise<void>,
    signal: NodeJS.Signals = 'SIGTERM',
  ): Promise<Ended> {
    const app = await this.start(file);
    try {
      await visit(app.url);
      return await app.end(signal);
    } finally {
      await app.end('SIGKILL');
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Of a shell of the user: Jest and npm leave settings in that of this process. */
  private env(): NodeJS.ProcessEnv {
    const foreign = /^(npm_|NODE_OPTIONS$|NODE_PATH$|NODE_ENV$|JEST_WORKER_ID$)/;
    const shell = Object.entries(process.env).filter(([name]) => !foreign.test(name));
    return { ...Object.fromEntries(shell), PORT: '0', ...this.settings };
  }
}

/** Returns the warnings of npm that name the library, its peers or a conflict; others are not ours. */
export function warningsOfOurs({ stdout, stderr }: Printed): string[] {
  const lines = `${stdout}\n${stderr}`.split('\n').filter((line) => /^npm (warn|error)/i.test(line));
  return lines.filter((line) => OURS.test(line));
}
