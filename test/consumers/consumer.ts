import { execFile, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { unwatch, watch } from '../support/servers/watch.js';
import { waitFor, within } from '../support/wait.js';

const APPS = fileURLToPath(new URL('.', import.meta.url));
const COMMAND_WITHIN_MS = 240_000;
const START_WITHIN_MS = 60_000;
const QUIET = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'];

/** What a command printed. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

/** An app of a user in a folder of its own: a copy of one beside this file, or an empty project. */
export class Consumer {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'snowflake-consumer-')));

  constructor(app: string) {
    cpSync(join(APPS, app), this.folder, { recursive: true });
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
  run(command: string, ...args: string[]): Promise<Printed> {
    const options = { cwd: this.folder, timeout: COMMAND_WITHIN_MS, env: this.env() };
    return promisify(execFile)(command, args, options);
  }

  /** Starts a file that prints a URL, visits it, and stops the process with SIGTERM. */
  async serve(file: string, visit: (url: string) => Promise<void>): Promise<Printed> {
    const child = spawn(process.execPath, [file], { cwd: this.folder, env: this.env() });
    const { pid = 0 } = child;
    watch(pid, 'SIGKILL');
    const printed = { stdout: '', stderr: '' };
    child.stdout.on('data', (text: Buffer) => (printed.stdout += text.toString()));
    child.stderr.on('data', (text: Buffer) => (printed.stderr += text.toString()));
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    try {
      await visit(
        await waitFor(
          () => `a URL: ${printed.stderr}`,
          START_WITHIN_MS,
          () => urlIn(printed),
        ),
      );
      child.kill('SIGTERM');
      await within('the app to stop', START_WITHIN_MS, closed);
      return printed;
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
    return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
  }
}

function urlIn({ stdout }: Printed): string | undefined {
  return /http:\/\/\S+/.exec(stdout)?.[0];
}

/** The warnings of npm that name the library or a peer conflict; those about other packages are theirs. */
export function warningsOfOurs({ stdout, stderr }: Printed): string[] {
  const lines = `${stdout}\n${stderr}`.split('\n').filter((line) => /^npm (warn|error)/i.test(line));
  return lines.filter((line) => /snowflake|ERESOLVE|peer/i.test(line));
}
