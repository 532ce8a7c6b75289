import { openSync } from 'node:fs';
import type { SnowflakeIdMaker } from 'nestjs-snowflake';
import { appendFrame } from './id-frames.js';
import { codeOf, type WriteLog } from './issuer-log.js';
import { idsFile, type IssuerJob } from './issuer-job.js';
import { trueTimeMs } from './true-time.js';

/** How many IDs of a round are requested one by one. */
const SINGLES = 4;

/** One ID maker of an issuing process. Everything that it makes, and everything that happens to it, goes to files. */
export class IssuingHolder {
  private readonly ids: number;
  private isStarted = false;
  private hasIssued = false;
  private isFailing = false;

  constructor(
    private readonly job: IssuerJob,
    holder: number,
    private readonly maker: SnowflakeIdMaker,
    private readonly log: WriteLog,
  ) {
    this.ids = openSync(idsFile(job, holder), 'a');
    maker.subscribe((event) => this.log({ type: 'event', event }));
  }

  async start(): Promise<void> {
    this.log({ type: 'starting' });
    try {
      await this.maker.start();
      this.isStarted = true;
    } catch (error) {
      this.log({ type: 'refused', ...codeAndMessage(error) });
    }
  }

  /** Generates a round of IDs, or logs why it can't. */
  issue(): void {
    if (!this.isStarted) return;
    const beforeMs = this.nowMs();
    let ids: BigUint64Array;
    try {
      ids = this.round();
    } catch (error) {
      if (!this.isFailing) this.log({ type: 'failed', ...codeAndMessage(error) });
      this.isFailing = true;
      return;
    }
    appendFrame(this.ids, { beforeMs, afterMs: this.nowMs(), ids });
    if (this.isFailing) this.log({ type: 'resumed' });
    if (!this.hasIssued) this.log({ type: 'issuing' });
    this.isFailing = false;
    this.hasIssued = true;
  }

  async stop(): Promise<void> {
    this.isStarted = false;
    await this.maker.stop();
    this.log({ type: 'stopped' });
  }

  /** IDs that were made before a failure were shown to nobody: they are left out. */
  private round(): BigUint64Array {
    const { idsPerRound } = this.job;
    const ids = new BigUint64Array(idsPerRound);
    const singles = Math.min(SINGLES, idsPerRound);
    for (let index = 0; index < singles; index++) ids[index] = this.maker.nextBigInt();
    ids.set(this.maker.nextBigInts(idsPerRound - singles), singles);
    return ids;
  }

  private nowMs(): number {
    return trueTimeMs(this.job.bootedAtMs);
  }
}

function codeAndMessage(error: unknown): { code: string; message: string } {
  return { code: codeOf(error), message: error instanceof Error ? error.message : String(error) };
}
