import type { Rest, Segment } from '../core/segment-chain.js';
import { StoreUnavailableError } from 'nestjs-snowflake/store';
import { refusalError } from '../store/segment-refusal.js';
import type { ClaimReply, GrantedReply } from '../store/segment-store.js';
import { asSnowflakeError } from 'nestjs-snowflake/internal/lease/store-caller';
import { callStore, type CallSettings } from '../store/store-calls.js';

/** What a {@link SegmentClaimer} needs of the process. */
export interface ClaimerSettings extends CallSettings {
  /** Returns an unguessable text that never comes twice. */
  readonly makeToken: () => string;
  /** Creates the tag, which the store doesn't have. Returns `false` if it must exist. */
  readonly createTag: (tag: string) => Promise<boolean>;
  /** Called with the database that has granted a segment, and those that could not. */
  readonly noteDatabases: (tag: string, reply: GrantedReply) => void;
}

/** A granted segment, and the step in the table. */
export interface Granted {
  readonly segment: Segment;
  readonly step: number;
}

/** A claim is repeated at once after its tag was created, and with another token if the segment was returned. */
const ATTEMPTS = 4;

/** The replies of a store that has removed the finished segments. With any other one, it has changed nothing. */
const AFTER_REMOVAL: ReadonlySet<ClaimReply['outcome']> = new Set(['granted', 'spent', 'ended']);

/** Claims segments of one tag. Keeps the token of a claim until a reply has come. */
export class SegmentClaimer {
  private unanswered: { readonly token: string; readonly count: number } | undefined;
  private finished: Rest[] = [];

  constructor(
    private readonly tag: string,
    private readonly settings: ClaimerSettings,
  ) {}

  /** Notes segments that are used up, for the next claim. */
  noteFinished(finished: readonly Rest[]): void {
    this.finished.push(...finished);
  }

  /**
   * Claims `count` numbers, or those of the claim that has had no reply.
   *
   * @param queueMs how long a call may take while it waits for other processes
   * @throws SnowflakeError
   */
  async claim(count: number, queueMs?: number): Promise<Granted> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      this.unanswered ??= { token: this.settings.makeToken(), count };
      const reply = await this.ask(this.unanswered, this.settings.callTimeoutMs, queueMs);
      if (reply.outcome === 'unknown-tag' && (await this.create())) continue;
      this.unanswered = undefined;
      if (reply.outcome === 'spent') continue;
      if (reply.outcome !== 'granted') throw refusalError(this.tag, this.settings.store.description, reply);
      return grantedOf(reply);
    }
    throw new StoreUnavailableError(
      `The ${this.settings.store.description} neither granted nor refused ${ATTEMPTS} claims for the tag "${this.tag}". The ` +
        `claim is tried again. If the store is your own, run the contract of nestjs-snowflake-segments/store-testing on it.`,
    );
  }

  /**
   * Claims what a claim without a reply may have been granted, and creates no tag for that. `undefined` if every claim has had
   * its reply.
   *
   * @throws SnowflakeError
   */
  async claimUnanswered(timeoutMs: number): Promise<Granted | undefined> {
    if (!this.unanswered) return undefined;
    const reply = await this.ask(this.unanswered, timeoutMs);
    this.unanswered = undefined;
    return reply.outcome === 'granted' ? grantedOf(reply) : undefined;
  }

  /** Returns what was granted in replies that got lost, if the store sends claims to several databases. @throws SnowflakeError */
  async returnLost(timeoutMs: number): Promise<void> {
    const { store } = this.settings;
    if (!store.returnLost) return;
    await callStore(
      this.settings,
      timeoutMs,
      async (deadline) => void (await store.returnLost?.(this.tag, deadline)),
    );
  }

  /** Returns and forgets the segments that are used up. */
  drainFinished(): Rest[] {
    const { finished } = this;
    this.finished = [];
    return finished;
  }

  /** Has no bound of a call, because the app may have to search the highest number. */
  private async create(): Promise<boolean> {
    try {
      return await this.settings.createTag(this.tag);
    } catch (error) {
      throw asSnowflakeError(error, this.settings.store.description);
    }
  }

  private async ask(
    { token, count }: { readonly token: string; readonly count: number },
    timeoutMs: number,
    queueMs?: number,
  ): Promise<ClaimReply> {
    const reported = [...this.finished];
    const finished = reported.map((rest) => rest.token);
    const reply = await callStore(
      this.settings,
      timeoutMs,
      (deadline) => this.settings.store.claim({ tag: this.tag, token, count, finished }, deadline),
      queueMs,
    );
    if (AFTER_REMOVAL.has(reply.outcome))
      this.finished = this.finished.filter((rest) => !reported.includes(rest));
    if (reply.outcome === 'granted') this.settings.noteDatabases(this.tag, reply);
    return reply;
  }
}

function grantedOf({ token, first, count, step }: GrantedReply): Granted {
  return { segment: { token, first, count }, step };
}
