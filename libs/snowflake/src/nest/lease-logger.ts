import { seeDocs } from '../core/see-docs.js';
import { asSentence } from '../core/errors/as-sentence.js';
import type { BitLayout } from '../core/layout/bit-layout.js';
import { instantText } from '../core/layout/instant.js';
import type { LeaseEvent } from '../lease/lease-events.js';
import { systemClock } from '../core/clock/system-clock.js';
import type { SnowflakeIdMaker } from '../maker/snowflake-id-maker.js';
import { WaitProgress } from './wait-progress.js';
import { InstanceLogger, type LogFields, type LogLevel } from './instance-logger.js';

const IN_DEVELOPMENT =
  "In development, NODE_ENV=development with a store on this machine skips the wait, and so does lease.possibleLoss: 'ignore'.";

/** What to do while the lease store can't be reached. */
const RUNBOOK = seeDocs('operations/store-unreachable');

const YEAR_MS = 365.25 * 24 * 60 * 60 * 1000;

/** What to write of an event, and how loud. */
type Line = readonly [level: LogLevel, text: string];

type EventOf<Type extends LeaseEvent['type']> = Extract<LeaseEvent, { type: Type }>;

/**
 * Logs what happens to the lease through Nest's Logger: one line per acquired worker ID, change of state and outage, and
 * nothing for a successful renewal.
 */
export class LeaseLogger {
  private readonly logger: InstanceLogger;
  private readonly store: string;
  private readonly progress: WaitProgress;

  constructor(
    instance: string,
    private readonly maker: SnowflakeIdMaker,
    /** The option `lease.waitAtBoot`. */
    private readonly waitAtBoot = true,
  ) {
    this.logger = new InstanceLogger(instance);
    this.progress = new WaitProgress(maker, systemClock, (text) => this.logger.write('log', text, {}));
    this.store = maker.status().store;
  }

  /** Starts to log. */
  start(): void {
    this.maker.subscribe((event) => {
      // The warning waits for the lease: only the store shows whether the clock of this host is right.
      const warning = event.type === 'acquired' && event.cause === 'start' ? this.expiryNear() : undefined;
      if (warning) this.logger.write(...warning, {});
      this.progress.follow(event);
      const line = this.lineOf(event);
      if (line) this.logger.write(...line, this.fieldsOf(event));
    });
  }

  private fieldsOf(event: LeaseEvent): LogFields {
    const { workerId, lastError } = this.maker.status();
    switch (event.type) {
      case 'request-failed':
        return { workerId, code: event.error.code };
      case 'release-failed':
        return { workerId: event.workerId, code: event.error.code };
      case 'state':
        return { workerId, code: lastError?.code };
      default:
        return { workerId: 'workerId' in event ? event.workerId : workerId };
    }
  }

  private lineOf(event: LeaseEvent): Line | undefined {
    switch (event.type) {
      case 'acquired':
        return this.acquired(event);
      case 'waiting':
        return this.waiting(event);
      case 'state':
        return this.stateChanged(event);
      case 'copied':
        return this.copied(event);
      case 'request-failed':
        return this.requestFailed(event);
      case 'recovered':
        return this.recovered(event);
      case 'released':
        return this.released(event);
      case 'warning':
        return ['warn', event.message];
      case 'release-failed':
        return [
          'warn',
          `Could not release worker ID ${event.workerId}. It becomes free at ${instantText(event.untilMs)}. ${asSentence(event.error.message)}`,
        ];
      case 'clock-rollback':
        return [
          'warn',
          `The clock stepped back by ${event.backwardsMs} ms. No ID repeats. Check this host's time service.`,
        ];
      case 'clock-corrected':
        return [
          'warn',
          `The local clock is ${Math.abs(event.offsetMs)} ms ${event.offsetMs > 0 ? 'behind' : 'ahead of'} the lease store's clock. ` +
            `The ID maker adds the difference to timestamps. Check NTP on both hosts.`,
        ];
      case 'renewed':
      case 'lost':
        return undefined;
    }
  }

  private requestFailed({ error, clockTimeUntilMs, untilMs }: EventOf<'request-failed'>): Line {
    const reason = asSentence(error.message);
    if (this.maker.status().state === 'stopped') {
      return [
        'error',
        `The lease store could not be opened. ${reason} This process generates no IDs. Fix the cause, then restart it.`,
      ];
    }
    const failure = `A call to the lease store failed. Retrying until it succeeds. ${reason}`;
    if (clockTimeUntilMs === undefined || untilMs === undefined) {
      const level = error.retryable ? 'warn' : 'error';
      return [
        level,
        `${failure} This process generates no IDs until then.${this.withoutFirstLease()} Don't restart processes that already run. ${RUNBOOK}`,
      ];
    }
    const reserve = idsBetween(this.maker.layout, clockTimeUntilMs, untilMs).toLocaleString('en');
    return [
      'warn',
      `${failure} IDs keep exact timestamps until ${instantText(clockTimeUntilMs)}. After that, this process can generate up to ` +
        `${reserve} more IDs, with timestamps up to ${instantText(untilMs)}. Don't restart it. ${RUNBOOK}`,
    ];
  }

  /** A sentence, after a space, on what the app does without its first lease; empty if it has had one. */
  private withoutFirstLease(): string {
    if (this.maker.status().workerId !== undefined) return '';
    return this.waitAtBoot
      ? ' With lease.waitAtBoot: false, the app starts without waiting.'
      : ' The app starts without waiting, and nextId() throws NotReadyError until then.';
  }

  /** A sentence, after a space, on how long startup waits for lost leases; empty if it doesn't. */
  private waitAtStartup(): string {
    return this.waitAtBoot ? ' Startup continues by itself if they end within acquireTimeoutMs.' : '';
  }

  private recovered({ failures, outageMs, waitedMs }: EventOf<'recovered'>): Line {
    if (failures === 0)
      return ['log', `${this.store} grants leases again after ${seconds(waitedMs ?? outageMs)}.`];
    const answers = `${this.store} answers again after ${seconds(outageMs)} and ${failures} failed ${failures === 1 ? 'call' : 'calls'}.`;
    const grant = waitedMs === undefined ? '' : ` It granted a lease ${seconds(waitedMs)} later.`;
    return ['log', answers + grant];
  }

  private released({ workerId, reservedUntilMs }: EventOf<'released'>): Line {
    if (reservedUntilMs === undefined) return ['log', `Released worker ID ${workerId} of ${this.store}.`];
    return [
      'log',
      `Kept the rest of the window of worker ID ${workerId} of ${this.store} for the next startup. The worker ID stays ` +
        `reserved until ${instantText(reservedUntilMs)}.`,
    ];
  }

  private acquired({ workerId, untilMs, cause, previousWorkerId }: EventOf<'acquired'>): Line {
    const { leaseUntil } = this.maker.status();
    const window = leaseUntil
      ? `leased until ${instantText(untilMs)}, renewed from now on`
      : 'fixed, without a lease';
    const line = `Worker ID ${workerId} of ${this.store}: ${window}.`;
    if (cause === 'start') return ['log', line];
    const why = {
      switch: 'because the clock stepped back',
      copied: 'which a copy of this process uses',
      lost: 'whose lease could not be renewed in time',
    }[cause];
    return ['warn', `${line} It replaces worker ID ${previousWorkerId}, ${why}.`];
  }

  private copied({ workerId, lastUsedMs }: EventOf<'copied'>): Line {
    return [
      'error',
      `The memory of this process exists twice: a copy of it has renewed the lease of worker ID ${workerId} of ${this.store}. ` +
        `IDs that both generated, from the moment of the copy until ${instantText(lastUsedMs)}, can be equal. This process generates no IDs until it has ` +
        `another worker ID. Don't resume a snapshot of a running process or virtual machine twice. ` +
        seeDocs('operations/problems', 'A process exists twice'),
    ];
  }

  private waiting({ reason, waitMs }: EventOf<'waiting'>): Line {
    const length = `for up to ${seconds(waitMs)}`;
    if (this.maker.status().workerId !== undefined && (reason === 'empty' || reason === 'history')) {
      const cause =
        reason === 'empty'
          ? `the registry of ${this.store} is empty`
          : `the server of ${this.store} restarted or was replaced, or stored leases were restored or removed`;
      return [
        'warn',
        `Waiting ${length} for a lease: ${cause}. Leases that may have been lost must end first. This process continues by itself. ` +
          `Don't restart it. ${RUNBOOK}`,
      ];
    }
    switch (reason) {
      case 'empty':
        return [
          'warn',
          `Waiting ${length}: the registry of ${this.store} is empty. If it was wiped, the lost leases must end ` +
            'first. For a new namespace, npx nestjs-snowflake-cli init --help shows how to skip the wait.' +
            `${this.withoutFirstLease()} ${IN_DEVELOPMENT}`,
        ];
      case 'history':
        return [
          'warn',
          `Waiting ${length}: the server of ${this.store} restarted or was replaced, or stored leases were restored or ` +
            `removed. Leases that may have been lost must end first.${this.waitAtStartup()}${this.withoutFirstLease()} ${IN_DEVELOPMENT}`,
        ];
      case 'full':
        return [
          'warn',
          `Waiting ${length}: other processes hold all worker IDs of ${this.store}. npx nestjs-snowflake-cli workers shows them. ` +
            `Stop a process that you don't need.${this.withoutFirstLease()}`,
        ];
      case 'alone':
        return [
          'warn',
          `Waiting: fewer replicas than minReplicas follow the master of ${this.store}, so it grants no leases. Check the replicas.${this.withoutFirstLease()}`,
        ];
    }
  }

  private stateChanged({ to }: EventOf<'state'>): Line | undefined {
    const { leaseUntil } = this.maker.status();
    if (to === 'degraded') {
      return [
        'warn',
        `The lease was not renewed in time. IDs continue with old timestamps from the reserve, which ends at ` +
          `${leaseUntil?.toISOString()}. Don't restart this process. ${RUNBOOK}`,
      ];
    }
    if (to === 'exhausted') {
      return [
        'error',
        `The leased window is used up. nextId() throws LeaseExhaustedError until ${this.store} grants or renews a lease. ` +
          `Don't restart this process. ${RUNBOOK}`,
      ];
    }
  }

  private expiryNear(): Line | undefined {
    const { expiresAt } = this.maker.status();
    const leftMs = expiresAt.getTime() - this.maker.nowMs();
    if (leftMs > YEAR_MS) return undefined;
    return [
      'warn',
      `The bit layout ends at ${expiresAt.toISOString()}, in ${Math.floor((leftMs / YEAR_MS) * 365.25)} days. ` +
        `After that, no IDs can be generated. Plan the move to a later epoch, in a new namespace.`,
    ];
  }
}

/** Returns how many IDs have timestamps in `(fromMs, untilMs]`. */
function idsBetween(layout: BitLayout, fromMs: number, untilMs: number): number {
  return (layout.tickAt(untilMs) - layout.tickAt(fromMs)) * layout.idsPerTick;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
