import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { TestChild } from '../../../../support/child.js';
import { waitFor } from '../../../../support/wait.js';
import { TIMEOUT_MS } from '../../../faults/support/issuer.js';
import { SERVICE_TOKEN } from '../../../faults/support/service-job.js';
import { NAMESPACE, type Stage } from '../../../faults/support/stage.js';
import type { ExamplePrograms, Language, Variant } from './example-languages.js';

/** The layout of the issuers with Node.js, with all of its fields. */
export const LAYOUT = { timestampBits: 50, workerBits: 10, sequenceBits: 3 };

export interface ExampleLease {
  readonly windowMs: number;
  readonly renewEveryMs: number;
  readonly maxSkewMs: number;
  readonly callTimeoutMs: number;
  readonly workerCount: number;
}

export interface ExampleSetting {
  readonly urls: readonly string[];
  /** Without it, the lease and the layout are the defaults of the example. */
  readonly lease?: ExampleLease;
  readonly variant?: Variant;
  /** A child process generates IDs with the same maker. */
  readonly forks?: boolean;
}

interface Report {
  readonly event: 'issuing' | 'failed' | 'stopped';
  readonly workerId?: number;
}

let issuers = 0;

/** A process in another language that generates IDs with the example of the documentation. */
export class ExampleIssuer {
  private constructor(
    private readonly child: TestChild,
    private readonly file: string,
  ) {}

  static async spawn(
    stage: Stage,
    programs: ExamplePrograms,
    language: Language,
    { variant, ...setting }: ExampleSetting,
  ): Promise<ExampleIssuer> {
    const [program, ...args] = await programs.command(language, variant);
    issuers += 1;
    const file = stage.file(`example-${issuers}.ids`);
    const layout = setting.lease && LAYOUT;
    const job = { ...setting, layout, token: SERVICE_TOKEN, namespace: NAMESPACE, file };
    const child = spawn(program, [...args, JSON.stringify(job)], { stdio: ['ignore', 'pipe', 'pipe'] });
    if (child.pid === undefined) throw new Error(`Could not start ${program}`);
    const issuer = new ExampleIssuer(new TestChild(child, child.pid, `the example in ${language}`), file);
    stage.defer(() => issuer.kill());
    return issuer;
  }

  /** All IDs that it has shown to anybody: whole rounds. */
  get ids(): BigUint64Array {
    return idsIn(this.file);
  }

  get idsOfFork(): BigUint64Array {
    return idsIn(`${this.file}.forked`);
  }

  get reports(): readonly Report[] {
    const lines = this.child.stdout.split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Report);
  }

  /** Resolves to a report after the first `seen` ones. */
  until(event: Report['event'], seen = 0): Promise<Report> {
    const shown = (): string => `${event}: ${this.child.stdout}\n${this.child.stderr}`;
    return waitFor(shown, TIMEOUT_MS, () =>
      this.reports.slice(seen).find((report) => report.event === event),
    );
  }

  /** Resolves when it has issued more than now. */
  async untilIssuing(): Promise<void> {
    const before = this.ids.length;
    await waitFor('a process in another language to issue', TIMEOUT_MS, () => this.ids.length > before);
  }

  pause(): void {
    this.child.pause();
  }

  resume(): void {
    this.child.resume();
  }

  async kill(): Promise<void> {
    await this.child.kill();
  }

  /** It gives its worker ID back and ends. */
  async leave(): Promise<void> {
    const { code } = await this.child.kill('SIGTERM');
    if (code !== 0) throw new Error(`A process in another language ended with ${code}: ${this.child.stderr}`);
  }
}

function idsIn(file: string): BigUint64Array {
  if (!existsSync(file)) return new BigUint64Array();
  const bytes = Uint8Array.from(readFileSync(file));
  return new BigUint64Array(bytes.buffer, 0, Math.floor(bytes.length / 8));
}
