import { type ChildProcess, spawn } from 'node:child_process';
import { type LeaseStore, SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import { unwatch, watch } from '../../../test/support/servers/watch.js';
import { within } from '../../../test/support/wait.js';
import { MAIN } from './run-cli.js';

const TIMEOUT_MS = 60_000;
const LEASE = { windowMs: 60_000, possibleLoss: 'ignore' } as const;

/** `npx nestjs-snowflake-cli console`, as it runs in a terminal. */
export class RunningConsole {
  private constructor(
    private readonly child: ChildProcess,
    private readonly ended: Promise<number | null>,
    readonly output: string,
  ) {}

  static async start(...args: string[]): Promise<RunningConsole> {
    const child = spawn(process.execPath, [MAIN, 'console', ...args]);
    watch(child.pid!, 'SIGKILL');
    const ended = new Promise<number | null>((resolve) => {
      child.once('exit', resolve);
    });
    const output = new Promise<string>((resolve, reject) => {
      child.stdout.once('data', (data: Buffer) => resolve(data.toString()));
      child.stderr.once('data', (data: Buffer) => reject(new Error(data.toString())));
    });
    return new RunningConsole(child, ended, await within('an address', TIMEOUT_MS, output));
  }

  get url(): string {
    return /http:\/\/127\.0\.0\.1:\d+\//.exec(this.output)?.[0] ?? '';
  }

  /** Resolves when an event of the page names this text. */
  async event(text: string): Promise<void> {
    const events = (await fetch(`${this.url}api/events`)).body!.getReader();
    const decoder = new TextDecoder();
    let read = '';
    while (!read.includes(text)) read += decoder.decode((await events.read()).value, { stream: true });
  }

  /** Presses Ctrl+C. @returns the exit code */
  async interrupt(): Promise<number | null> {
    this.child.kill('SIGINT');
    const code = await within('the end', TIMEOUT_MS, this.ended);
    unwatch(this.child.pid!);
    return code;
  }
}

/** An ID maker that holds a worker ID of this store as `web-1`. */
export async function holderOn(store: LeaseStore): Promise<SnowflakeIdMaker> {
  const maker = new SnowflakeIdMaker({ store, lease: LEASE, holderName: 'web-1' });
  await maker.start();
  return maker;
}
