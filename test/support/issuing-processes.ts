import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChildEnd, spawnChild, type TestChild } from './child.js';

/** What a process sends: where it is in its job, with more fields. */
interface Message {
  readonly status: string;
}

/**
 * Processes that write the IDs that they make into files. Each runs `program` with a job as JSON, sends a status such as `holding`, and takes
 * orders such as `leave`. They and their files are gone after the tests of the file.
 */
export class IssuingProcesses<Job extends { readonly idsFile: string }> {
  private readonly folder = mkdtempSync(join(tmpdir(), 'snowflake-issued-'));
  private readonly started: IssuingProcess[] = [];

  constructor(private readonly program: URL) {
    afterAll(() => this.remove());
  }

  /** Starts a process with a file of its own. */
  start(job: Omit<Job, 'idsFile'>): IssuingProcess {
    const idsFile = this.pathOf(`ids-${this.started.length}`);
    const child = spawnChild(this.program, { args: [JSON.stringify({ ...job, idsFile })] });
    const started = new IssuingProcess(child, idsFile);
    this.started.push(started);
    return started;
  }

  /** Starts processes that all hold their worker IDs before the first of them generates an ID. Resolves when each has sent `issued`. */
  async issue<Report extends Message>(
    jobs: readonly Omit<Job, 'idsFile'>[],
  ): Promise<{ readonly processes: readonly IssuingProcess[]; readonly reports: readonly Report[] }> {
    const processes = jobs.map((job) => this.start(job));
    await Promise.all(processes.map((each) => each.until('holding')));
    for (const each of processes) each.order('go');
    const reports = await Promise.all(processes.map((each) => each.until<Report>('issued')));
    return { processes, reports };
  }

  /** A path in the folder of these processes. */
  pathOf(file: string): string {
    return join(this.folder, file);
  }

  private async remove(): Promise<void> {
    await Promise.all(this.started.map(({ child }) => child.kill()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const TIMEOUT_MS = 120_000;

/** One of {@link IssuingProcesses}. */
export class IssuingProcess {
  constructor(
    readonly child: TestChild,
    readonly idsFile: string,
  ) {}

  /** Resolves to the next message with this status and these fields. */
  until<Sent extends Message>(status: Sent['status'], fields: Partial<Sent> = {}): Promise<Sent> {
    const wanted = Object.entries({ ...fields, status });
    return this.child.next(
      (message): message is Sent =>
        wanted.every(([name, value]) => Reflect.get(Object(message), name) === value),
      TIMEOUT_MS,
    );
  }

  order(order: string): void {
    this.child.send({ order });
  }

  /** Orders it to release its worker ID and to end. */
  leave(): Promise<ChildEnd> {
    this.order('leave');
    return this.child.untilEnd(TIMEOUT_MS);
  }

  /** The IDs that it made so far. One that was killed may have written a part of its last one. */
  get ids(): BigUint64Array {
    if (!existsSync(this.idsFile)) return new BigUint64Array();
    const bytes = Uint8Array.from(readFileSync(this.idsFile));
    return new BigUint64Array(bytes.buffer, 0, Math.floor(bytes.length / 8));
  }
}
