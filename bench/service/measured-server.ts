import { spawnChild, type TestChild } from '../../test/support/child.js';
import type { CpuAnswer } from './server/cpu-answers.js';

const isReady = (message: unknown): message is object => typeof message === 'object';
const isCpuAnswer = (message: unknown): message is CpuAnswer => typeof Object(message).cpuUs === 'number';

/** A server in a process of its own, which tells its CPU time. */
export class MeasuredServer<Ready extends object> {
  private constructor(
    private readonly child: TestChild,
    /** What the server sent when it was listening. */
    readonly ready: Ready,
  ) {}

  /** @param file the server, relative to this file */
  static async start<Ready extends object>(
    file: string,
    args: readonly string[] = [],
  ): Promise<MeasuredServer<Ready>> {
    const child = spawnChild(new URL(file, import.meta.url), { args });
    return new MeasuredServer(child, (await child.next(isReady)) as Ready);
  }

  /** Returns the CPU time, user and system, that the server takes while `work` runs, in microseconds. */
  async cpuUsOf(work: () => Promise<unknown>): Promise<number> {
    const beforeUs = await this.cpuUs();
    await work();
    return (await this.cpuUs()) - beforeUs;
  }

  async stop(): Promise<void> {
    await this.child.kill();
  }

  private async cpuUs(): Promise<number> {
    this.child.send({});
    return (await this.child.next(isCpuAnswer)).cpuUs;
  }
}
