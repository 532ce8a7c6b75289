import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Mutant } from './mutants.js';

export type Verdict =
  | { readonly outcome: 'killed'; readonly by: string }
  | { readonly outcome: 'timed out' }
  | { readonly outcome: 'survived' };

/** The tests to run: files, and which of their titles. */
export interface Selection {
  readonly specs: readonly string[];
  readonly only?: string | undefined;
}

/** A spec takes seconds. One that takes longer hangs. */
const SPEC_TIMEOUT_MS = 30_000;

/** Runs mutants one after the other, in a process that is replaced when a mutant hangs. */
export class Runner {
  private child: ChildProcess | undefined;

  constructor(private readonly root: string) {}

  /** Runs the specs until one fails. Without a mutant they run as they are. */
  async run(mutant: Mutant | undefined, { specs, only }: Selection): Promise<Verdict> {
    const child = (this.child ??= await this.start());
    const path = mutant && join(this.root, mutant.file);
    child.send({
      mutant: mutant && { ...mutant, path },
      specs: specs.map((spec) => join(this.root, spec)),
      only,
    });
    const reply = await replyOf(child);
    if (reply === undefined) {
      await this.stop();
      return { outcome: 'timed out' };
    }
    return reply.failure === undefined ? { outcome: 'survived' } : { outcome: 'killed', by: reply.failure };
  }

  async stop(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  private async start(): Promise<ChildProcess> {
    const child = fork(join(this.root, 'test/lab/mutation/specs-runner.mjs'), {
      cwd: this.root,
      stdio: ['ignore', 'ignore', process.env['MUTANTS_DEBUG'] ? 'inherit' : 'ignore', 'ipc'],
      env: { ...process.env, NODE_ENV: 'test' },
    });
    const [message] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => ['exit'])]);
    if (message !== 'ready') throw new Error('The process that runs the specs has ended');
    return child;
  }
}

interface Reply {
  readonly failure?: string;
}

/** Resolves to undefined if a spec hangs, or the process ends. */
function replyOf(child: ChildProcess): Promise<Reply | undefined> {
  return new Promise((resolve) => {
    const settle = (reply?: Reply): void => {
      clearTimeout(timer);
      child.removeAllListeners();
      resolve(reply);
    };
    const timer = setTimeout(settle, SPEC_TIMEOUT_MS, undefined);
    child.on('message', (message) => {
      if (message === 'progress') timer.refresh();
      else settle(message as Reply);
    });
    child.once('exit', () => settle());
  });
}
