import {
  type Clock,
  type Rest,
  type Segment,
  SnowflakeError,
  StoreRejectedError,
  StoreUnavailableError,
  HistoryChangedError,
  UnknownTagError,
} from '../core/index.js';
import { deadlineIn, GRACE_MS, settledWithin } from '../lease/call-deadline.js';
import { ownTurn } from './own-turn.js';
import type { ClaimReply, SegmentStore } from './segment-store.js';

/** What a {@link SegmentClaimer} needs of the process. */
export interface ClaimerSettings {
  readonly store: SegmentStore;
  readonly clock: Clock;
  readonly callTimeoutMs: number;
  /** Returns an unguessable text that never comes twice. */
  readonly makeToken: () => string;
  /** Creates the tag, which the store doesn't have. Returns `false` if it must exist. */
  readonly createTag: (tag: string) => Promise<boolean>;
}

/** A granted segment, and the step in the table. */
export interface Granted {
  readonly segment: Segment;
  readonly step: number;
}

/** A claim is repeated at once after its tag was created, and with another token if the segment was given back. */
const ATTEMPTS = 4;

/** Claims segments of one tag and gives rests back. Keeps the token of a claim until a reply has come. */
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
   * @throws SnowflakeError
   */
  async claim(count: number): Promise<Granted> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      this.unanswered ??= { token: this.settings.makeToken(), count };
      const told = [...this.finished];
      const reply = await this.call((deadline) =>
        this.settings.store.claim(this.request(this.unanswered, told), deadline),
      );
      if (reply.outcome === 'unknown-tag' && (await this.create())) continue;
      this.unanswered = undefined;
      this.finished = this.finished.filter((rest) => !told.includes(rest));
      if (reply.outcome === 'spent') continue;
      if (reply.outcome !== 'granted') throw this.refusal(reply);
      const { token, first, count: granted, step } = reply;
      return { segment: { token, first, count: granted }, step };
    }
    throw new StoreUnavailableError(`The ${this.settings.store.description} contradicts itself`);
  }

  /** Claims what a claim without a reply may have been granted. `undefined` if every claim has had its reply. */
  async claimUnanswered(): Promise<Granted | undefined> {
    return this.unanswered && this.claim(this.unanswered.count);
  }

  /** Returns and forgets the segments that are used up. */
  takeFinished(): Rest[] {
    const { finished } = this;
    this.finished = [];
    return finished;
  }

  /** Gives a rest back. Returns whether the store took it. @throws SnowflakeError */
  async giveBack(rest: Rest): Promise<boolean> {
    const { tag } = this;
    const reply = await this.call((deadline) => this.settings.store.giveBack({ tag, ...rest }, deadline));
    return reply.outcome === 'returned';
  }

  /** Not within the bound of a call: the app may have to search the highest number. */
  private async create(): Promise<boolean> {
    try {
      return await this.settings.createTag(this.tag);
    } catch (error) {
      throw this.known(error);
    }
  }

  private request(
    claim: { readonly token: string; readonly count: number } | undefined,
    finished: readonly Rest[],
  ) {
    const { token = '', count = 0 } = claim ?? {};
    return { tag: this.tag, token, count, finished: finished.map((rest) => rest.token) };
  }

  private async call<Reply>(
    send: (deadline: ReturnType<typeof deadlineIn>) => Promise<Reply>,
  ): Promise<Reply> {
    const { clock, callTimeoutMs, store } = this.settings;
    await ownTurn(clock);
    const late = (): Error =>
      new StoreUnavailableError(`The ${store.description} did not answer within ${callTimeoutMs} ms`);
    try {
      return await settledWithin(
        clock,
        callTimeoutMs + GRACE_MS,
        send(deadlineIn(clock, callTimeoutMs)),
        late,
      );
    } catch (error) {
      throw this.known(error);
    }
  }

  private known(error: unknown): SnowflakeError {
    if (error instanceof SnowflakeError) return error;
    return new StoreUnavailableError(`The ${this.settings.store.description} has failed`, error);
  }

  private refusal(reply: Exclude<ClaimReply, { outcome: 'granted' | 'spent' }>): SnowflakeError {
    const { description } = this.settings.store;
    switch (reply.outcome) {
      case 'unknown-tag':
        return new UnknownTagError(this.tag, description);
      case 'lost':
        return new HistoryChangedError(description, reply.reason);
      case 'ended':
        return new StoreRejectedError(`The tag "${this.tag}" of ${description} has reached 2^53 - 1.`);
      case 'stride':
        return new StoreRejectedError(
          `The tag "${this.tag}" of ${description} has ${reply.stored}, but this process has ${reply.own}. Use the ` +
            'stored values: numbers of two strides can collide.',
        );
    }
  }
}
