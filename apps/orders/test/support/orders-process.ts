import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { unwatch, watch } from '../../../../test/support/servers/watch.js';
import { waitFor, within } from '../../../../test/support/wait.js';
import { OrdersClient } from './orders-client.js';

const MAIN = fileURLToPath(new URL('../../../../dist/apps/orders/main.js', import.meta.url));
const VARIANT_MAIN = fileURLToPath(new URL('variant-main.mjs', import.meta.url));
/** With what follows the URL, because the output may come in pieces. */
const LISTENING = /listening on (http:\/\/[^\s,]+)[\s,]/;
const START_WITHIN_MS = 120_000;
const END_WITHIN_MS = 120_000;

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The built backend as a process, as `npm start` runs it. */
export class OrdersProcess {
  private printed = '';
  private end: ProcessEnd | undefined;
  private readonly ended: Promise<ProcessEnd>;

  private constructor(private readonly child: ChildProcess) {
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

  /** Starts it without waiting. Its environment has only PATH and the given variables. */
  static spawn(env: Record<string, string>, cwd?: string, main = MAIN): OrdersProcess {
    if (!existsSync(MAIN)) throw new Error('The backend is not built. Run: npm run build');
    const variables = { PATH: process.env['PATH'] ?? '', PORT: '0', ...env };
    return new OrdersProcess(
      spawn(process.execPath, [main], { env: variables, cwd, stdio: ['ignore', 'pipe', 'pipe'] }),
    );
  }

  /** Starts it and waits until it listens. */
  static start(env: Record<string, string>, cwd?: string): Promise<OrdersProcess> {
    return OrdersProcess.spawn(env, cwd).untilListening();
  }

  /** Starts `variant-main.mjs` and waits until it listens. */
  static startVariant(env: Record<string, string>): Promise<OrdersProcess> {
    return OrdersProcess.spawn(env, undefined, VARIANT_MAIN).untilListening();
  }

  /** Returns everything it has printed so far. */
  get output(): string {
    return this.printed;
  }

  get client(): OrdersClient {
    const url = LISTENING.exec(this.printed)?.[1];
    if (url === undefined) throw new Error(`The backend does not listen:\n${this.printed}`);
    return new OrdersClient(url.replace('localhost', '127.0.0.1'));
  }

  /** Whether the process is still running. */
  get isAlive(): boolean {
    return this.end === undefined;
  }

  /** Waits until it has printed `text`. */
  async untilPrinted(text: string): Promise<void> {
    await waitFor(
      () => `"${text}" in the output:\n${this.output}`,
      START_WITHIN_MS,
      () => this.output.includes(text),
    );
  }

  private async untilListening(): Promise<OrdersProcess> {
    await waitFor(
      () => `the backend to listen:\n${this.output}`,
      START_WITHIN_MS,
      () => {
        if (!this.isAlive) throw new Error(`The backend ended during its start:\n${this.output}`);
        return LISTENING.test(this.output);
      },
    );
    return this;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Waits a limited time for the process to end. */
  untilEnd(): Promise<ProcessEnd> {
    return within('the end of the backend', END_WITHIN_MS, this.ended);
  }

  /** Sends SIGTERM and waits for the process to end. Does nothing if it has ended. */
  stop(): Promise<ProcessEnd> {
    this.child.kill('SIGTERM');
    return this.untilEnd();
  }
}
