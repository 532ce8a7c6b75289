import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor, within } from '../wait.js';
import { giveTo, type Account } from './account.js';
import { unwatch, watch } from './watch.js';

const START_WITHIN_MS = 60_000;
const END_WITHIN_MS = 30_000;
const STOP_WITHIN_MS = 10_000;

export interface ServerCommand {
  readonly binary: string;
  readonly args: readonly string[];
  readonly account: Account;
  /** Ends the server at once but in an orderly way, should the tests die. */
  readonly emergencySignal: NodeJS.Signals;
  /** Returns whether the server answers. Called repeatedly until it does. */
  readonly isUp: () => Promise<boolean>;
}

/** A fresh directory that belongs to `account`. */
export function makeDirectory(name: string, account: Account = {}): string {
  const directory = mkdtempSync(join(tmpdir(), `snowflake-${name}-`));
  giveTo(account, directory);
  return directory;
}

/** One run of a private server: its process, its directory and its log. */
export class ServerProcess {
  private readonly ended: Promise<void>;
  private hasEnded = false;

  private constructor(
    private readonly child: ChildProcess,
    readonly pid: number,
    readonly dir: string,
  ) {
    this.ended = new Promise((resolve) => {
      child.once('exit', () => {
        this.hasEnded = true;
        unwatch(pid);
        resolve();
      });
    });
  }

  /** Starts the server in `dir` and waits until it answers; rejects with its log when it does not. */
  static async start(dir: string, command: ServerCommand): Promise<ServerProcess> {
    const log = openSync(join(dir, 'server.log'), 'a');
    const child = spawn(command.binary, command.args, {
      ...command.account,
      cwd: dir,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    if (child.pid === undefined) {
      throw await new Promise((_, reject) => child.once('error', reject));
    }
    watch(child.pid, command.emergencySignal, dir);
    // The servers of a spec that forgot to stop them must not keep its process alive: the watchdog sees to them.
    child.unref();
    const server = new ServerProcess(child, child.pid, dir);
    await server.untilUp(command);
    return server;
  }

  get running(): boolean {
    return !this.hasEnded;
  }

  signal(signal: NodeJS.Signals): void {
    if (this.running) this.child.kill(signal);
  }

  /**
   * SIGSTOP. Resolves when all threads have stopped: the thread that gets the signal stops the others when it is next scheduled, and on a
   * busy machine they serve until then.
   */
  async pause(): Promise<void> {
    this.signal('SIGSTOP');
    await waitFor(`all threads of process ${this.pid} to stop`, STOP_WITHIN_MS, () => {
      return !this.running || threadStates(this.pid).every((state) => state === 'T');
    });
  }

  /** SIGCONT. */
  resume(): void {
    this.signal('SIGCONT');
  }

  /** Sends `signal` and waits until the process has ended. */
  async end(signal: NodeJS.Signals): Promise<void> {
    this.child.ref();
    this.signal(signal);
    // A paused process reacts only to SIGKILL before it continues.
    this.resume();
    try {
      await within(`process ${this.pid} to end on ${signal}`, END_WITHIN_MS, this.ended);
    } catch {
      this.signal('SIGKILL');
      await within(`process ${this.pid} to end on SIGKILL`, END_WITHIN_MS, this.ended);
    }
  }

  private async untilUp(command: ServerCommand): Promise<void> {
    try {
      await waitFor(`${command.binary} to answer`, START_WITHIN_MS, async () => {
        const isUp = await command.isUp();
        // Checked last, because another process that has the port would answer, too.
        if (!this.running) throw new Error(`${command.binary} ended at its start`);
        return isUp;
      });
    } catch (cause) {
      await this.end('SIGKILL');
      throw new Error(`${String(cause)}\n${logOf(this.dir)}`, { cause });
    }
  }
}

export function removeDirectory(directory: string): void {
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}

function logOf(directory: string): string {
  return readFileSync(join(directory, 'server.log'), 'utf8').split('\n').slice(-20).join('\n');
}

/** The letters by which Linux names the states of the threads of a process. */
function threadStates(pid: number): string[] {
  const threads = `/proc/${pid}/task`;
  return readdirSync(threads).flatMap((thread) => {
    try {
      return readFileSync(join(threads, thread, 'stat'), 'utf8')
        .replace(/^.*\) /s, '')
        .charAt(0);
    } catch {
      // It has ended since.
      return [];
    }
  });
}
