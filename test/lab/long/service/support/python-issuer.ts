import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { TestChild } from '../../../../support/child.js';
import { waitFor } from '../../../../support/wait.js';
import { TIMEOUT_MS } from '../../../faults/support/issuer.js';
import { SERVICE_TOKEN } from '../../../faults/support/service-job.js';
import { NAMESPACE, type Stage } from '../../../faults/support/stage.js';

const PROGRAM = fileURLToPath(new URL('../children/issuer.py', import.meta.url));
const EXAMPLE = fileURLToPath(new URL('../../../../../examples/python', import.meta.url));

/** Settings of the example: names of parameters of its `IdMaker`. */
export type PythonLease = Readonly<Record<string, number>>;

export interface PythonSetting {
  readonly urls: readonly string[];
  readonly lease: PythonLease;
  /** A clock that steps back every other second. */
  readonly clock?: 'steps back';
  /** A child process makes IDs with the same maker. */
  readonly forks?: boolean;
  readonly defect?: 'ignores the end of the window' | 'ignores forks';
}

interface Report {
  readonly event: 'issuing' | 'failed' | 'stopped';
  readonly workerId?: number;
}

let issuers = 0;

/** A Python process that makes IDs with the example of the documentation. */
export class PythonIssuer {
  private constructor(
    private readonly child: TestChild,
    private readonly file: string,
  ) {}

  static spawn(stage: Stage, { clock = undefined, ...setting }: PythonSetting): PythonIssuer {
    issuers += 1;
    const file = stage.file(`python-${issuers}.ids`);
    const job = {
      ...setting,
      folder: EXAMPLE,
      token: SERVICE_TOKEN,
      namespace: NAMESPACE,
      layout: { timestamp_bits: 50, worker_bits: 10, sequence_bits: 3 },
      clock: clock ?? 'true',
      file,
    };
    const child = spawn('python3', ['-B', PROGRAM, JSON.stringify(job)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (child.pid === undefined)
      throw new Error('Could not start python3. On Debian: apt-get install python3');
    const issuer = new PythonIssuer(new TestChild(child, child.pid, PROGRAM), file);
    stage.defer(() => issuer.kill());
    return issuer;
  }

  /** Starts a process and waits until it issues. */
  static async start(stage: Stage, setting: PythonSetting): Promise<PythonIssuer> {
    const issuer = PythonIssuer.spawn(stage, setting);
    await issuer.until('issuing');
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
    await waitFor('a Python process to issue', TIMEOUT_MS, () => this.ids.length > before);
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
    if (code !== 0) throw new Error(`A Python process ended with ${code}: ${this.child.stderr}`);
  }
}

function idsIn(file: string): BigUint64Array {
  if (!existsSync(file)) return new BigUint64Array();
  const bytes = Uint8Array.from(readFileSync(file));
  return new BigUint64Array(bytes.buffer, 0, Math.floor(bytes.length / 8));
}
