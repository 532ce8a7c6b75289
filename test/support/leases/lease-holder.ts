import { IdGenerator } from '../../../libs/snowflake/src/core/generator/generator.js';
import type {
  ClockRollbackPolicy,
  GeneratorOptions,
} from '../../../libs/snowflake/src/core/generator/generator-options.js';
import { IdDecoder } from '../../../libs/snowflake/src/core/ids/decoder.js';
import { BitLayout } from '../../../libs/snowflake/src/core/layout/bit-layout.js';
import { keeperSettings, type LeaseOptions } from '../../../libs/snowflake/src/lease/lease-options.js';
import type { LeaseEvent } from '../../../libs/snowflake/src/lease/lease-events.js';
import { LeaseKeeper } from '../../../libs/snowflake/src/lease/lease-keeper.js';
import type { LeaseStore } from '../../../libs/snowflake/src/lease/lease-store.js';
import { VirtualClock } from '../../../libs/snowflake/src/stores/port/virtual-clock.js';

type EventOf<Type extends LeaseEvent['type']> = Extract<LeaseEvent, { type: Type }>;

export interface HolderOptions {
  readonly layout?: BitLayout;
  /** @defaultValue that a namespace without a history is new */
  readonly lease?: LeaseOptions;
  readonly onClockRollback?: ClockRollbackPolicy;
  readonly generator?: GeneratorOptions;
  /** Where in the spread of renewals this process renews, from 0 to 1. @defaultValue 0.5 */
  readonly random?: number;
  /** Digits with which the nonces of this process begin. */
  readonly name?: string;
  /** The environment variable `NODE_ENV`. */
  readonly nodeEnv?: string;
}

/** A process in virtual time: a generator, and the lease that it needs. */
export class LeaseHolder<Clock extends VirtualClock = VirtualClock> {
  readonly generator: IdGenerator;
  readonly keeper: LeaseKeeper;
  readonly events: LeaseEvent[] = [];
  readonly ids: bigint[] = [];
  private readonly decoder: IdDecoder;

  constructor(
    store: LeaseStore,
    readonly clock: Clock,
    {
      layout = new BitLayout(),
      lease,
      onClockRollback,
      generator,
      random = 0.5,
      name = '0',
      nodeEnv,
    }: HolderOptions = {},
  ) {
    this.decoder = new IdDecoder(layout);
    this.generator = new IdGenerator(layout, clock, { onClockRollback, ...generator });
    const settings = keeperSettings(layout, { possibleLoss: 'ignore', ...lease }, onClockRollback);
    let nonces = 0;
    this.keeper = new LeaseKeeper(store, this.generator, settings, {
      clock,
      random: () => random,
      nonce: () => name + String(nonces++).padStart(15, '0'),
      holderName: name,
      nodeEnv: () => nodeEnv,
    });
    this.keeper.subscribe((event) => this.events.push(event));
  }

  /** Generates an ID, and returns its fields. */
  issue(): ReturnType<IdDecoder['decode']> {
    const id = this.generator.nextBigInt();
    this.ids.push(id);
    return this.decoder.decode(id);
  }

  eventsOf<Type extends LeaseEvent['type']>(type: Type): EventOf<Type>[] {
    return this.events.filter((event): event is EventOf<Type> => event.type === type);
  }
}
