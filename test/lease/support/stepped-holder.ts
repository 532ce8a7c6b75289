import type { DecodedId, LeaseEvent, SnowflakeIdMaker, SnowflakeOptions } from 'nestjs-snowflake';
import { waitFor } from '../../support/wait.js';
import { duplicatesIn } from './id-checks.js';
import type { MakerPool } from './maker-pool.js';
import { SteppedClock } from './stepped-clock.js';

const TIMEOUT_MS = 30_000;
const IDS_AT_A_TIME = 50;

type EventOf<Type extends LeaseEvent['type']> = Extract<LeaseEvent, { type: Type }>;

/** A holder whose clock the test steps back, and all that came of it. */
export class SteppedHolder {
  readonly clock = new SteppedClock();
  readonly maker: SnowflakeIdMaker;
  readonly issued: DecodedId[] = [];
  private readonly events: LeaseEvent[] = [];

  constructor(pool: MakerPool, options: SnowflakeOptions) {
    this.maker = pool.make(options, { clock: this.clock });
    this.maker.subscribe((event) => this.events.push(event));
  }

  eventsOf<Type extends LeaseEvent['type']>(type: Type): EventOf<Type>[] {
    return this.events.filter((event): event is EventOf<Type> => event.type === type);
  }

  get switches(): EventOf<'acquired'>[] {
    return this.eventsOf('acquired').filter(({ cause }) => cause === 'switch');
  }

  /** Generates IDs; throws when there is a gap in service. */
  issue(): void {
    for (let count = 0; count < IDS_AT_A_TIME; count++)
      this.issued.push(this.maker.decode(this.maker.nextId()));
  }

  /** The clock goes back, and the next ID is asked for at once: the clock stands, so that no pause hides the step. */
  stepBack(ms: number): void {
    this.clock.stand();
    this.issue();
    this.clock.step(-ms);
    this.issue();
    this.clock.goOn();
  }

  /** Generates IDs again and again until `check` is true. */
  async issueUntil(what: string, check: () => boolean): Promise<void> {
    await waitFor(what, TIMEOUT_MS, () => {
      this.issue();
      return check();
    });
  }

  get lastIssued(): DecodedId {
    return this.issued.at(-1)!;
  }

  get duplicates(): bigint[] {
    return duplicatesIn([this.issued.map(({ id }) => BigInt(id))]);
  }

  lastTimestampOf(workerId: number): number {
    return this.issued.findLast((id) => id.workerId === workerId)!.timestampMs;
  }
}
