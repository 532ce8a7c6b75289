import { setTimeout as delay } from 'node:timers/promises';
import { type LeaseEvent, SnowflakeError, type SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import { waitFor } from '../../support/wait.js';
import { duplicatesIn } from './id-checks.js';

const IDS_PER_TURN = 8;
const TIMEOUT_MS = 60_000;

type EventOf<Type extends LeaseEvent['type']> = Extract<LeaseEvent, { type: Type }>;

/** A maker under load, and all that came of it. */
export class Holder {
  readonly ids: bigint[] = [];
  /** The last error, if the last attempt to generate an ID failed. */
  error: SnowflakeError | undefined;
  failures = 0;
  private readonly events: LeaseEvent[] = [];

  constructor(readonly maker: SnowflakeIdMaker) {
    maker.subscribe((event) => this.events.push(event));
  }

  /** @param since how many events there were when those begin that are asked for */
  eventsOf<Type extends LeaseEvent['type']>(type: Type, since = 0): EventOf<Type>[] {
    return this.events.slice(since).filter((event): event is EventOf<Type> => event.type === type);
  }

  /** How many failures it reported until it recovered. */
  failuresUntil(recovered: EventOf<'recovered'>, since: number): number {
    const events = this.events.slice(since, this.events.indexOf(recovered));
    return events.filter(({ type }) => type === 'request-failed').length;
  }

  get eventCount(): number {
    return this.events.length;
  }

  /** The states gone through. */
  get states(): string[] {
    return this.statesSince(0);
  }

  statesSince(count: number): string[] {
    return this.eventsOf('state', count).map(({ to }) => to);
  }

  get lastTimestampMs(): number {
    return this.maker.decode(this.ids.at(-1)!).timestampMs;
  }

  /** Waits until `check` holds. */
  until(what: string, check: (holder: this) => boolean): Promise<true> {
    return waitFor(
      () => `${what}; it stands at ${JSON.stringify(this.maker.status())}`,
      TIMEOUT_MS,
      () => check(this) || undefined,
    );
  }

  /** Generates some IDs, until the first that can't be made. */
  issue(): void {
    // Notices a change of state, and says so.
    this.maker.status();
    try {
      for (let count = 0; count < IDS_PER_TURN; count++) this.ids.push(this.maker.nextBigInt());
      this.error = undefined;
    } catch (error) {
      if (!(error instanceof SnowflakeError)) throw error;
      this.error = error;
      this.failures++;
    }
  }
}

/** Asks makers for IDs all the time, in turns. */
export class Traffic {
  readonly holders: Holder[] = [];
  private isRunning = true;
  private readonly ended: Promise<void>;

  constructor() {
    this.ended = this.run();
  }

  /** @param maker not started yet, so that no event is missed */
  async join(maker: SnowflakeIdMaker): Promise<Holder> {
    const holder = new Holder(maker);
    await maker.start();
    this.holders.push(holder);
    return holder;
  }

  async end(): Promise<void> {
    this.isRunning = false;
    await this.ended;
  }

  /** Waits until an ID is there twice, which takes until two holders have the same timestamp. */
  untilDuplicate(): Promise<true> {
    const found = (): true | undefined => (duplicatesIn(this.ids).length > 0 ? true : undefined);
    return waitFor('a duplicate', TIMEOUT_MS, found);
  }

  get ids(): bigint[][] {
    return this.holders.map(({ ids }) => ids);
  }

  private async run(): Promise<void> {
    while (this.isRunning) {
      for (const holder of this.holders) holder.issue();
      await delay(1);
    }
  }
}
