import { Logger } from '@nestjs/common';
import { DEFAULT_INSTANCE } from '../core/index.js';
import type { LeaseEvent } from '../lease/index.js';
import type { SnowflakeIdMaker } from '../maker/index.js';

const YEAR_MS = 365.25 * 24 * 60 * 60 * 1000;

type EventOf<Type extends LeaseEvent['type']> = Extract<LeaseEvent, { type: Type }>;

/**
 * Logs what happens to the lease through Nest's Logger: one line per acquired worker ID, change of state and outage, and
 * nothing for a successful renewal.
 */
export class LeaseLogger {
  private readonly logger: Logger;
  private readonly store: string;

  constructor(
    instanceName: string,
    private readonly maker: SnowflakeIdMaker,
  ) {
    this.logger = new Logger(
      instanceName === DEFAULT_INSTANCE ? 'SnowflakeModule' : `SnowflakeModule:${instanceName}`,
    );
    this.store = maker.status().store;
  }

  /** Starts to log. */
  start(): void {
    this.warnOfExpiry();
    this.maker.subscribe((event) => this.write(event));
  }

  private write(event: LeaseEvent): void {
    switch (event.type) {
      case 'acquired':
        return this.acquired(event);
      case 'waiting':
        return this.waiting(event);
      case 'state':
        return this.stateChanged(event);
      case 'renewal-failed':
        return this.logger.warn(
          `A call to the lease store failed. Retrying until it succeeds. ${event.error.message}`,
        );
      case 'recovered':
        return this.logger.log(
          `${this.store} is back after ${seconds(event.outageMs)} and ${event.failures} failed ${event.failures === 1 ? 'call' : 'calls'}.`,
        );
      case 'released':
        return this.released(event);
      case 'warning':
        return this.logger.warn(event.message);
      case 'release-failed':
        return this.logger.warn(
          `Could not release worker ID ${event.workerId}. It becomes free at ${iso(event.untilMs)}.`,
        );
      case 'clock-rollback':
        return this.logger.warn(
          `The clock stepped back by ${event.backwardsMs} ms. IDs are issued in logical time.`,
        );
      case 'clock-corrected':
        return this.logger.warn(
          `The local clock is ${Math.abs(event.offsetMs)} ms ${event.offsetMs > 0 ? 'behind' : 'ahead of'} the lease store's; ` +
            `the difference is added to timestamps. Check NTP on both hosts.`,
        );
      case 'renewed':
      case 'lost':
        return;
    }
  }

  private released({ workerId, takenUntilMs }: EventOf<'released'>): void {
    if (takenUntilMs === undefined)
      return this.logger.log(`Released worker ID ${workerId} of ${this.store}.`);
    this.logger.log(
      `Kept the rest of the window of worker ID ${workerId} of ${this.store} for the next start. The worker ID stays ` +
        `taken until ${iso(takenUntilMs)}.`,
    );
  }

  private acquired({ workerId, untilMs, cause, previousWorkerId }: EventOf<'acquired'>): void {
    const { leaseUntil } = this.maker.status();
    const window = leaseUntil
      ? `leased until ${iso(untilMs)}, renewed from now on`
      : 'fixed, without a lease';
    const line = `Worker ID ${workerId} of ${this.store}: ${window}.`;
    if (cause === 'start') return this.logger.log(line);
    const why =
      cause === 'switch' ? 'because the clock stepped back' : 'whose lease could not be renewed in time';
    this.logger.warn(`${line} It replaces worker ID ${previousWorkerId}, ${why}.`);
  }

  private waiting({ reason, waitMs }: EventOf<'waiting'>): void {
    const length = `for up to ${seconds(waitMs)}`;
    switch (reason) {
      case 'empty':
        return this.logger.warn(
          `Waiting ${length}: the registry of ${this.store} is empty. If it was wiped, the leases that it forgot must end ` +
            'first. A new namespace needs no wait if you run npx nestjs-snowflake init before its first start.',
        );
      case 'history':
        return this.logger.warn(
          `Waiting ${length}: the server of ${this.store} restarted or was replaced and may have forgotten its latest ` +
            `leases, which must end first. The start continues by itself.`,
        );
      case 'full':
        return this.logger.warn(
          `Waiting ${length}: all worker IDs of ${this.store} are held. Stop a process or use more worker bits.`,
        );
      case 'alone':
        return this.logger.warn(
          `Waiting: fewer replicas than minReplicas follow the master of ${this.store}. Check the replicas.`,
        );
    }
  }

  private stateChanged({ to }: EventOf<'state'>): void {
    const { leaseUntil } = this.maker.status();
    if (to === 'degraded') {
      this.logger.warn(
        `The lease was not renewed in time. IDs are issued in logical time from the reserve, until ${leaseUntil?.toISOString()}.`,
      );
    }
    if (to === 'exhausted') {
      this.logger.error(
        `The leased window is used up and ${this.store} is unreachable. nextId() throws LeaseExhaustedError until it is back.`,
      );
    }
  }

  private warnOfExpiry(): void {
    const { expiresAt } = this.maker.status();
    const leftMs = expiresAt.getTime() - this.maker.nowMs();
    if (leftMs > YEAR_MS) return;
    this.logger.warn(
      `The bit layout ends at ${expiresAt.toISOString()}, in ${Math.floor((leftMs / YEAR_MS) * 365.25)} days. ` +
        `No IDs can be issued after that. Plan the move to a later epoch, in a new namespace.`,
    );
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** The latest instant that a Date can hold. Grants without an end lie beyond it. */
const LAST_INSTANT_MS = 8.64e15;

function iso(ms: number): string {
  return new Date(Math.min(ms, LAST_INSTANT_MS)).toISOString();
}
