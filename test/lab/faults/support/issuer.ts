import { statSync } from 'node:fs';
import type { LeaseEvent } from 'nestjs-snowflake';
import { type ChildEnd, spawnChild, type TestChild } from '../../../support/child.js';
import { waitFor } from '../../../support/wait.js';
import { idsFile, type IssuerJob } from './issuer-job.js';
import { type IssuerEntry, IssuerLog } from './issuer-log.js';
import { trueTimeMs } from './true-time.js';

/** Far above what anything takes, even on a busy computer, and far below "never". */
export const TIMEOUT_MS = 60_000;

type EventOf<Type extends LeaseEvent['type']> = Extract<LeaseEvent, { type: Type }>;

/** A running (or paused, or ended) process that issues IDs, as the test sees it. */
export class Issuer {
  /** When it ended, true time; undefined while it lives. */
  endedAtMs: number | undefined;
  private readonly child: TestChild;
  private readonly log: IssuerLog;

  constructor(
    readonly name: string,
    readonly job: IssuerJob,
    env: NodeJS.ProcessEnv,
  ) {
    const isAltered = job.scripts !== undefined || job.etcd?.seesNoHistory === true;
    const file = isAltered ? 'issuer-with-scripts.ts' : 'issuer.ts';
    this.child = spawnChild(new URL(`../children/${file}`, import.meta.url), {
      args: [JSON.stringify(job)],
      env,
    });
    this.log = new IssuerLog(job);
    void this.child.ended.then(() => (this.endedAtMs = trueTimeMs(job.bootedAtMs)));
  }

  /** All log entries so far. */
  get entries(): readonly IssuerEntry[] {
    return this.log.entries();
  }

  /** The log entries from `sinceMs` on (true time). */
  since(sinceMs: number): IssuerEntry[] {
    return this.entries.filter(({ atMs }) => atMs >= sinceMs);
  }

  /** All events of one type from `sinceMs` on. */
  events<Type extends LeaseEvent['type']>(type: Type, sinceMs = 0): EventOf<Type>[] {
    return this.since(sinceMs).flatMap((entry) =>
      entry.type === 'event' && entry.event.type === type ? [entry.event as EventOf<Type>] : [],
    );
  }

  /** The worker ID that it took last. */
  get workerId(): number {
    return this.events('acquired').at(-1)?.workerId ?? -1;
  }

  /** Resolves as soon as every holder has logged an entry of this type. */
  async untilLogged(type: IssuerEntry['type'], sinceMs = 0, withinMs = TIMEOUT_MS): Promise<void> {
    await this.until(type, withinMs, () => {
      const logged = this.since(sinceMs).filter((entry) => entry.type === type);
      return new Set(logged.map(({ holder }) => holder)).size === this.job.holders;
    });
  }

  /** The first event of this type from `sinceMs` on. */
  untilEvent<Type extends LeaseEvent['type']>(
    type: Type,
    sinceMs = 0,
    withinMs = TIMEOUT_MS,
  ): Promise<EventOf<Type>> {
    return this.until(`the event ${type}`, withinMs, () => this.events(type, sinceMs)[0]);
  }

  /** Resolves as soon as every holder has issued more than it has now, and none of them fails. */
  async untilIssuing(withinMs = TIMEOUT_MS): Promise<void> {
    const before = this.fileSizes();
    await this.until('to issue', withinMs, () => {
      return !this.isFailing && this.fileSizes().every((size, holder) => size > (before[holder] ?? 0));
    });
  }

  /** SIGSTOP. */
  pause(): void {
    this.child.pause();
  }

  /** SIGCONT. */
  resume(): void {
    this.child.resume();
  }

  /** SIGKILL. Harmless when it has ended. */
  kill(): Promise<ChildEnd> {
    return this.child.kill();
  }

  /** It gives its leases back and ends by itself. */
  async leave(): Promise<ChildEnd> {
    this.child.send({ order: 'leave' });
    return this.child.untilEnd(TIMEOUT_MS);
  }

  private async until<T>(what: string, withinMs: number, check: () => T | undefined | false): Promise<T> {
    return waitFor(
      () => `${what} of ${this.name}; its last entries:\n${this.lastEntries()}`,
      withinMs,
      () => {
        const found = check();
        if ((found === undefined || found === false) && this.endedAtMs !== undefined) {
          throw new Error(`${this.name} ended before ${what}: ${this.child.stderr}\n${this.lastEntries()}`);
        }
        return found;
      },
    );
  }

  private get isFailing(): boolean {
    const failing = new Map<number, boolean>();
    for (const { holder, type } of this.entries) {
      if (type === 'failed' || type === 'resumed') failing.set(holder, type === 'failed');
    }
    return [...failing.values()].some(Boolean);
  }

  private fileSizes(): number[] {
    return Array.from(
      { length: this.job.holders },
      (_, holder) => statSync(idsFile(this.job, holder), { throwIfNoEntry: false })?.size ?? 0,
    );
  }

  private lastEntries(): string {
    return this.entries
      .slice(-6)
      .map((entry) => JSON.stringify(entry))
      .join('\n');
  }
}
