import { Logger } from '@nestjs/common';
import type { LeaseEvent } from '../lease/index.js';
import type { SnowflakeIdMaker } from '../maker/index.js';
import { DEFAULT_INSTANCE } from './snowflake.tokens.js';

const YEAR_MS = 365.25 * 24 * 60 * 60 * 1000;

type EventOf<Type extends LeaseEvent['type']> = Extract<LeaseEvent, { type: Type }>;

/**
 * Tells people how the lease fares, through Nest's Logger: a line when a worker ID is acquired and a line when
 * something changes; nothing for a renewal that works, and one line, not hundreds, for an outage.
 */
export class LeaseLogger {
  private readonly logger: Logger;
  private readonly store: string;

  constructor(
    instanceName: string,
    private readonly maker: SnowflakeIdMaker,
  ) {
    this.logger = new Logger(instanceName === DEFAULT_INSTANCE ? 'Snowflake' : `Snowflake:${instanceName}`);
    this.store = maker.status().store;
  }

  /** From now on writes a line for each event worth one. */
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
          `The lease store failed, trying again until it is back: ${event.error.message}`,
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
          `Could not give worker ID ${event.workerId} back; it becomes free by itself at ${iso(event.untilMs)}.`,
        );
      case 'clock-rollback':
        return this.logger.warn(
          `The clock went back by ${event.backwardsMs} ms; issuing goes on in logical time.`,
        );
      case 'clock-corrected':
        return this.logger.warn(
          `The local clock is ${Math.abs(event.offsetMs)} ms ${event.offsetMs > 0 ? 'behind' : 'ahead of'} the lease store's; ` +
            `the difference is added to timestamps. Check the time service of both hosts.`,
        );
      case 'renewed':
      case 'lost':
        return;
    }
  }

  private released({ workerId, takenUntilMs }: EventOf<'released'>): void {
    if (takenUntilMs === undefined)
      return this.logger.log(`Gave worker ID ${workerId} of ${this.store} back.`);
    this.logger.log(
      `Kept the rest of the window of worker ID ${workerId} of ${this.store} for the next start; the worker ID stays taken ` +
        `until ${iso(takenUntilMs)}.`,
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
      cause === 'switch'
        ? 'because the clock went back'
        : `because the lease on it could not be renewed any more`;
    this.logger.warn(`${line} It takes the place of worker ID ${previousWorkerId}, ${why}.`);
  }

  private waiting({ reason, waitMs }: EventOf<'waiting'>): void {
    const length = `for up to ${seconds(waitMs)}`;
    switch (reason) {
      case 'empty':
        return this.logger.warn(
          `Waiting ${length}: the registry of ${this.store} is empty. If it was wiped, leases that it has forgotten ` +
            `must end first. If this is a brand-new ID space, lease.onEmptyStore: 'assumeNew' skips the wait once.`,
        );
      case 'history':
        return this.logger.warn(
          `Waiting ${length}: the server of ${this.store} restarted or was replaced and may have forgotten its latest ` +
            `leases, which must end first. Nothing to be done; the start goes on by itself.`,
        );
      case 'full':
        return this.logger.warn(
          `Waiting ${length}: all worker IDs of ${this.store} are held. Stop a process, or use more worker bits.`,
        );
      case 'alone':
        return this.logger.warn(
          `Waiting: the master of ${this.store} is in touch with fewer replicas than minReplicas. Check the replicas.`,
        );
    }
  }

  private stateChanged({ to }: EventOf<'state'>): void {
    const { leaseUntil } = this.maker.status();
    if (to === 'degraded') {
      this.logger.warn(
        `The lease could not be renewed in time: issuing goes on in logical time within the reserve, up to ${leaseUntil?.toISOString()}.`,
      );
    }
    if (to === 'exhausted') {
      this.logger.error(
        `The leased window is used up and ${this.store} is away: no IDs until it is back (LeaseExhaustedError).`,
      );
    }
  }

  private warnOfExpiry(): void {
    const { expiresAt } = this.maker.status();
    const leftMs = expiresAt.getTime() - this.maker.nowMs();
    if (leftMs > YEAR_MS) return;
    this.logger.warn(
      `The bit layout ends at ${expiresAt.toISOString()}, in ${Math.floor((leftMs / YEAR_MS) * 365.25)} days: after that no ID can ` +
        `be issued. Plan the move to a later epoch, in a new namespace.`,
    );
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** The latest instant that a Date can hold: grants without an end lie beyond it. */
const LAST_INSTANT_MS = 8.64e15;

function iso(ms: number): string {
  return new Date(Math.min(ms, LAST_INSTANT_MS)).toISOString();
}
