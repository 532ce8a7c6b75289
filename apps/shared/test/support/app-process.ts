import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { unwatch, watch } from '../../../../test/support/servers/watch.js';
import { waitFor, within } from '../../../../test/support/wait.js';

/** With what follows the URL, because the output may come in pieces. */
const LISTENING = /listening on (http:\/\/[^\s,]+)[\s,]/;
const START_WITHIN_MS = 120_000;
const END_WITHIN_MS = 120_000;

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A built app as a process. */
export class AppProcess {
  private printed = '';
  private end: ProcessEnd | undefined;
  private readonly ended: Promise<ProcessEnd>;

  protected constructor(private readonly child: ChildProcess) {
    const { pid } = child;
    if (pid !== undefined) watch(pid, 'SIGKILL');
    child.stdout?.on('data', (chunk: Buffer) => (this.printed += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (this.printed += chunk.toString()));
    this.ended = new Promise((resolve) => {
      child.once('close', (code, signal) => {
        if (pid !== undefined) unwatch(pid);
        this.end = { code, signal };
        resolve(this.end);
      });
    });
  }

  /** Starts a program without waiting, in development. Its environment has only PATH, a free PORT and the given variables. */
  protected static run(
    main: string,
    env: Record<string, string>,
    cwd?: string,
    args: readonly string[] = [],
  ): ChildProcess {
    if (!existsSync(main)) throw new Error(`${main} is not built. Run: npm run build`);
    const variables = { PATH: process.env['PATH'] ?? '', PORT: '0', NODE_ENV: 'development', ...env };
    return spawn(process.execPath, [main, ...args], {
      env: variables,
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  /** Returns everything it has printed so far. */
  get output(): string {
    return this.printed;
  }

  /** Returns the URL that it has printed. */
  get url(): string {
    const url = LISTENING.exec(this.printed)?.[1];
    if (url === undefined) throw new Error(`The app does not listen:\n${this.printed}`);
    return url.replace('localhost', '127.0.0.1');
  }

  /** Whether the process is still running. */
  get isAlive(): boolean {
    return this.end === undefined;
  }

  /** Waits until it has printed `text`. */
  async untilPrinted(text: string | RegExp): Promise<void> {
    await waitFor(
      () => `${text} in the output:\n${this.output}`,
      START_WITHIN_MS,
      () => {
        const isPrinted = typeof text === 'string' ? this.output.includes(text) : text.test(this.output);
        if (!isPrinted && !this.isAlive) throw new Error(`The app ended without ${text}:\n${this.output}`);
        return isPrinted;
      },
    );
  }

  /** Waits until it has loaded its modules, which is most of its start. */
  untilLoaded(): Promise<void> {
    return this.untilPrinted('Starting Nest application');
  }

  /** Waits until it listens. */
  async untilListening(): Promise<this> {
    await this.untilPrinted(LISTENING);
    return this;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Waits a limited time for the process to end. */
  untilEnd(): Promise<ProcessEnd> {
    return within('the end of the app', END_WITHIN_MS, this.ended);
  }

  /** Sends SIGTERM and waits for the process to end. Does nothing if it has ended. */
  stop(): Promise<ProcessEnd> {
    this.child.kill('SIGTERM');
    return this.untilEnd();
  }
}
