import { spawnChild, type TestChild } from '../../../../support/child.js';
import { waitFor } from '../../../../support/wait.js';
import type { Ending, Order } from './orders.js';
import { END } from './printed-values.js';

const TIMEOUT_MS = 120_000;
const PRINTED_WITHIN_MS = 60_000;

/** What one order made the child print, on both streams. */
export interface Printed {
  readonly ending: Ending;
  readonly output: string;
}

/** The process that boots apps and prints what they and the library give. */
export class PrinterChild {
  private readonly child: TestChild = spawnChild(new URL('../children/printer.ts', import.meta.url), {
    keepsStdout: true,
  });
  private read = { stdout: 0, stderr: 0 };

  /**
   * Has an order carried out.
   *
   * @param whenReady called when the app has booted, in an order that waits for something to happen then
   */
  async run(order: Order, whenReady?: () => Promise<void>): Promise<Printed> {
    this.child.send(order);
    if (whenReady) {
      await this.child.next(isReady, TIMEOUT_MS);
      await whenReady();
    }
    const { ending } = await this.child.next(isEnd, TIMEOUT_MS);
    return { ending, output: await this.output() };
  }

  async stop(): Promise<void> {
    await this.child.kill();
  }

  /** What was printed since the last order. It comes by other pipes than the message does. */
  private async output(): Promise<string> {
    const fresh = () => [
      this.child.stdout.slice(this.read.stdout),
      this.child.stderr.slice(this.read.stderr),
    ];
    await waitFor('the output of the child', PRINTED_WITHIN_MS, () =>
      fresh().every((text) => text.includes(END)),
    );
    const output = fresh().join('\n');
    this.read = { stdout: this.child.stdout.length, stderr: this.child.stderr.length };
    return output;
  }
}

const isReady = (message: unknown): message is object => isObject(message) && 'ready' in message;
const isEnd = (message: unknown): message is { ending: Ending } => isObject(message) && 'ending' in message;
const isObject = (message: unknown): message is object => typeof message === 'object' && message !== null;
