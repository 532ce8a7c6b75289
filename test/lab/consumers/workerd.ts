import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { TestChild } from '../../support/child.js';
import { waitFor } from '../../support/wait.js';

const START_WITHIN_MS = 60_000;
const ANSWER_WITHIN_MS = 30_000;

/** A process of workerd, the runtime of Cloudflare Workers, with the Worker in a folder's `workerd.capnp`. */
export class Workerd {
  private constructor(
    private readonly child: TestChild,
    private readonly url: string,
  ) {}

  static async start(folder: string, env: Readonly<Record<string, string>>): Promise<Workerd> {
    const program = join(folder, 'node_modules/workerd/bin/workerd');
    const started = spawn(program, ['serve', 'workerd.capnp', '--control-fd=1'], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (started.pid === undefined) throw new Error(`Could not start ${program}`);
    const child = new TestChild(started, started.pid, 'workerd');
    const port = await waitFor(
      () => `the port of workerd: ${child.stderr}`,
      START_WITHIN_MS,
      () => /"port":(\d+)/.exec(child.stdout)?.[1],
    );
    return new Workerd(child, `http://127.0.0.1:${port}`);
  }

  /** Sends a request, and returns the JSON of the response. */
  async get(path: string): Promise<unknown> {
    const response = await fetch(this.url + path, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    return response.json();
  }

  async stop(): Promise<void> {
    await this.child.kill();
  }
}
