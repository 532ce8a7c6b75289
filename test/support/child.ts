import { fork, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unwatch, watch } from './servers/watch.js';
import { waitFor, within } from './wait.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TYPESCRIPT = new URL('./typescript.mjs', import.meta.url).href;
const END_WITHIN_MS = 30_000;

export interface ChildOptions {
  /** Added to the environment of the tests. */
  readonly env?: NodeJS.ProcessEnv;
  readonly args?: readonly string[];
  /** Flags of Node itself, e.g. `['--max-old-space-size=128']`. */
  readonly nodeArgs?: readonly string[];
  /** Keeps what it prints on stdout for {@link TestChild.stdout}, instead of printing it. */
  readonly keepsStdout?: boolean;
}

export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * A test's own Node process. It runs one file outside of Jest: what compile-children.ts has made of it, or else the file itself,
 * TypeScript with hooks. It imports the library by its entry points (`nestjs-snowflake/redis`) as a user would, so it
 * runs the built package: `npm run build:lib` comes first (`npm test` and `npm run test:lab` do it). Messages are JSON over
 * Node's own IPC channel: `process.send(…)` and `process.on('message', …)` in the child. A child that waits for messages ends
 * with `process.disconnect()`.
 */
export class TestChild {
  /** Settles when the process has ended, however that came. */
  readonly ended: Promise<ChildEnd>;
  private end: ChildEnd | undefined;
  private errors = '';
  private printed = '';
  private readonly inbox: unknown[] = [];

  constructor(
    private readonly process: ChildProcess,
    readonly pid: number,
    private readonly file: string,
  ) {
    watch(pid, 'SIGKILL');
    process.stdout?.on('data', (chunk: Buffer) => (this.printed += chunk.toString()));
    process.stderr?.on('data', (chunk: Buffer) => (this.errors += chunk.toString()));
    process.on('message', (message) => this.inbox.push(message));
    this.ended = new Promise((resolve) => {
      process.once('close', (code, signal) => {
        unwatch(pid);
        this.end = { code, signal };
        resolve(this.end);
      });
    });
  }

  /** Everything it has printed on stderr so far. */
  get stderr(): string {
    return this.errors;
  }

  /** Everything it has printed on stdout so far; empty unless it `keepsStdout`. */
  get stdout(): string {
    return this.printed;
  }

  send(message: object): void {
    this.process.send(message);
  }

  /**
   * The next message that `wanted` accepts; messages before it are dropped. Rejects with the child's stderr when it
   * ends first, and after `withinMs`.
   */
  async next<T>(wanted: (message: unknown) => message is T, withinMs = 60_000): Promise<T> {
    return waitFor(
      () => `a message of ${this.file}:\n${this.errors}`,
      withinMs,
      () => {
        const message = this.take(wanted);
        if (message === undefined && this.end !== undefined) {
          throw new Error(
            `${this.file} ended (${this.end.code ?? this.end.signal}) without the message:\n${this.errors}`,
          );
        }
        return message;
      },
    );
  }

  /** SIGSTOP. */
  pause(): void {
    this.process.kill('SIGSTOP');
  }

  /** SIGCONT. */
  resume(): void {
    this.process.kill('SIGCONT');
  }

  /** Sends `signal` (default SIGKILL) and waits for the end, at most `withinMs`. Harmless when it has ended. */
  async kill(signal: NodeJS.Signals = 'SIGKILL', withinMs = END_WITHIN_MS): Promise<ChildEnd> {
    this.process.kill(signal);
    return this.untilEnd(withinMs);
  }

  /** Waits at most `withinMs` for the process to end by itself. */
  async untilEnd(withinMs: number): Promise<ChildEnd> {
    return within(`${this.file} to end`, withinMs, this.ended);
  }

  private take<T>(wanted: (message: unknown) => message is T): T | undefined {
    while (this.inbox.length > 0) {
      const message = this.inbox.shift();
      if (wanted(message)) return message;
    }
    return undefined;
  }
}

/**
 * Starts `file` as a separate Node process. Pass its place relative to the spec:
 * `spawnChild(new URL('./children/issuer.ts', import.meta.url), { args: [redis.url] })`.
 */
export function spawnChild(file: URL | string, options: ChildOptions = {}): TestChild {
  const source = file instanceof URL ? fileURLToPath(file) : file;
  const path = compiledFrom(source) ?? source;
  const childProcess = fork(path, [...(options.args ?? [])], {
    execArgv: [...(path.endsWith('.ts') ? ['--import', TYPESCRIPT] : []), ...(options.nodeArgs ?? [])],
    // Jest's flags are none of the child's business.
    env: { ...process.env, NODE_OPTIONS: '', ...options.env },
    stdio: ['ignore', options.keepsStdout ? 'pipe' : 'inherit', 'pipe', 'ipc'],
  });
  if (childProcess.pid === undefined) throw new Error(`Could not start ${path}`);
  return new TestChild(childProcess, childProcess.pid, path);
}

/** What compile-children.ts has made of it. */
function compiledFrom(source: string): string | undefined {
  const { TEST_CHILDREN: folder } = process.env;
  if (folder === undefined) return undefined;
  const compiled = join(folder, relative(ROOT, source)).replace(/\.ts$/, '.js');
  return existsSync(compiled) ? compiled : undefined;
}
