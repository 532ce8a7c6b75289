import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { type IssuingProcess, IssuingProcesses } from '../../../../support/issuing-processes.js';
import { takenName } from './counted-disk.js';
import type { SuccessorJob, SuccessorReport } from './successor-job.js';

/** How many IDs each process makes. */
export const COUNT = 4000;
/** Longer than a busy machine takes to get a lease. */
export const ACQUIRE_WITHIN_MS = 30_000;
const TIMEOUT_MS = 60_000;
/** No server listens at this address. */
const UNREACHABLE_URL = 'redis://127.0.0.1:1';

type Options = Partial<
  Pick<
    SuccessorJob,
    | 'acquireTimeoutMs'
    | 'dieBefore'
    | 'forgetsThatItWasTaken'
    | 'isLinkedWhenTaken'
    | 'keepsWhatIsEmptied'
    | 'waits'
  >
>;
type Death = NonNullable<SuccessorJob['dieBefore']>;

const processes = new IssuingProcesses<SuccessorJob>(new URL('../children/successor.ts', import.meta.url));
let groups = 0;

/** Processes that follow one another, with one file for the rest of the window. Their clocks stand at one time. */
export class Successors {
  private readonly namespace = `successors-${(groups += 1)}`;
  private readonly file = processes.pathOf(`${this.namespace}/window`);
  private readonly nowMs = Date.now();
  private readonly started: IssuingProcess[] = [];

  constructor(private readonly url: string) {
    mkdirSync(dirname(this.file));
  }

  /** Runs a process while the store is there. */
  whileReachable(options: Options = {}): Promise<SuccessorReport> {
    return this.start(this.url, options).until<SuccessorReport>('ended');
  }

  /** Runs a process while the store is unreachable. */
  whileUnreachable(options: Options = {}): Promise<SuccessorReport> {
    return this.startUnreachable(options).until<SuccessorReport>('ended');
  }

  /** Starts a process while the store is unreachable. */
  startUnreachable(options: Options): IssuingProcess {
    return this.start(UNREACHABLE_URL, options);
  }

  /** Runs a process that dies before an operation on the disk. */
  async die(dieBefore: Death, url = this.url): Promise<void> {
    const { child } = this.start(url, { dieBefore });
    expect(await child.untilEnd(TIMEOUT_MS)).toMatchObject({ signal: 'SIGKILL' });
  }

  /** Runs a process that dies so while the store is unreachable. */
  dieUnreachable(dieBefore: Death): Promise<void> {
    return this.die(dieBefore, UNREACHABLE_URL);
  }

  /** What lies in the folder of the file. */
  get files(): string[] {
    return readdirSync(dirname(this.file));
  }

  /** The machine lost power, and with it a new name that was not yet on disk. */
  forgetTheRename(): void {
    const taken = takenName(this.files, dirname(this.file));
    if (taken !== undefined) renameSync(taken, this.file);
  }

  /** The IDs of each process. */
  get ids(): BigUint64Array[] {
    return this.started.map(({ ids }) => ids);
  }

  private start(url: string, options: Options): IssuingProcess {
    const { namespace, file, nowMs } = this;
    const given = { url, namespace, file, count: COUNT, nowMs, acquireTimeoutMs: ACQUIRE_WITHIN_MS };
    const started = processes.start({ ...given, ...options });
    this.started.push(started);
    return started;
  }
}
