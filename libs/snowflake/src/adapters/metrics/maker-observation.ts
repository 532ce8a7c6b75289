import type { LeaseEvent } from '../../lease/lease-events.js';
import { INSTANCE_ATTRIBUTE } from './metrics.js';
import type { SnowflakeIdMaker } from '../../maker/snowflake-id-maker.js';
import type { SnowflakeStatus } from '../../maker/snowflake-status.js';
import { RegistryCount, type RegistryCounts } from './registry-count.js';

type SwitchCause = Exclude<Extract<LeaseEvent, { type: 'acquired' }>['cause'], 'start'>;

/** The measured state of an ID maker at one instant. */
export interface MakerReading {
  readonly status: SnowflakeStatus;
  /** Unix time in milliseconds, with the clock correction added. */
  readonly nowMs: number;
  /** How often the worker ID was replaced, by cause. */
  readonly switches: Readonly<Record<SwitchCause, number>>;
  readonly clockRollbacks: number;
  /** Absent if nobody asked for it, or the registry could not be read. */
  readonly registry?: RegistryCounts;
}

/** Receives what an observation reports as it happens. */
export interface ObservationListener {
  /** A renewal succeeded. */
  renewed(seconds: number): void;
  /** The maker has stopped, or the observation was ended. Called once. */
  ended(): void;
}

/** Observes one ID maker until it stops. */
export class MakerObservation {
  private readonly switches: Record<SwitchCause, number> = { lost: 0, copied: 0, switch: 0 };
  private clockRollbacks = 0;
  private hasEnded = false;
  private readonly unsubscribe: () => void;
  private readonly registry: RegistryCount | undefined;

  constructor(
    readonly instance: string,
    private readonly maker: SnowflakeIdMaker,
    private readonly listener: ObservationListener,
    inspect: boolean,
  ) {
    if (inspect) this.registry = new RegistryCount(maker);
    this.unsubscribe = maker.subscribe((event) => this.note(event));
  }

  /** The attributes of all its values. */
  get attributes(): Readonly<Record<string, string>> {
    return { [INSTANCE_ATTRIBUTE]: this.instance };
  }

  read(): MakerReading {
    const { switches, clockRollbacks } = this;
    const status = this.maker.status();
    const nowMs = this.maker.nowMs();
    // A maker that was not started must not open its store for this.
    const registry = status.state === 'idle' ? undefined : this.registry?.latest(nowMs);
    return { status, nowMs, switches, clockRollbacks, registry };
  }

  /** Ends the observation; does nothing if it has ended. */
  end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.unsubscribe();
    this.listener.ended();
  }

  private note(event: LeaseEvent): void {
    if (event.type === 'renewed') this.listener.renewed(event.durationMs / 1000);
    if (event.type === 'acquired' && event.cause !== 'start') this.switches[event.cause] += 1;
    if (event.type === 'clock-rollback') this.clockRollbacks += 1;
    if (event.type === 'state' && event.to === 'stopped') this.end();
  }
}
