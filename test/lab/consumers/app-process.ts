import { spawn, type ChildProcess } from 'node:child_process';
import { unwatch, watch } from '../../support/servers/watch.js';
import { waitFor, within } from '../../support/wait.js';

const START_WITHIN_MS = 120_000;
const STOP_WITHIN_MS = 120_000;

/** What a command printed. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

/** How a process ended, and what it printed. */
export interface Ended extends Printed {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process of an app that serves HTTP. */
export class AppProcess {
  private readonly printed = { stdout: '', stderr: '' };
  private readonly ended: Promise<Ended>;
  private address = '';
  private isRunning = true;

  private constructor(private readonly child: ChildProcess) {
    child.stdout?.on('data', (text: Buffer) => (this.printed.stdout += text.toString()));
    child.stderr?.on('data', (text: Buffer) => (this.printed.stderr += text.toString()));
    const { pid = 0 } = child;
    watch(pid, 'SIGKILL');
    this.ended = new Promise((resolve) =>
      child.once('close', (code, signal) => {
        unwatch(pid);
        this.isRunning = false;
        resolve({ ...this.printed, code, signal });
      }),
    );
  }

  /** Runs a file with Node, and waits for the URL that it prints. @throws Error with its stderr if it prints none */
  static async start(file: string, cwd: string, env: NodeJS.ProcessEnv): Promise<AppProcess> {
    const app = new AppProcess(spawn(process.execPath, [file], { cwd, env }));
    try {
      const what = (): string => `a URL: ${app.printed.stderr}`;
      app.address = await waitFor(what, START_WITHIN_MS, () => app.printedUrl());
      return app;
    } catch (error) {
      await app.end('SIGKILL');
      throw error;
    }
  }

  private printedUrl(): string | undefined {
    const url = urlIn(this.printed);
    if (url === undefined && !this.isRunning) throw new Error(`The app ended: ${this.printed.stderr}`);
    return url;
  }

  get url(): string {
    return this.address;
  }

  /** Sends a signal, unless the process has ended, and waits for the end. */
  end(signal: NodeJS.Signals): Promise<Ended> {
    this.child.kill(signal);
    return within('the app to stop', STOP_WITHIN_MS, this.ended);
  }
}

function urlIn({ stdout }: Printed): string | undefined {
  // With the end of its line, because the output may come in pieces.
  return /(http:\/\/\S+)\s/.exec(stdout)?.[1];
}
