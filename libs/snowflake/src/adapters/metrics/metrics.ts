import type { SnowflakeErrorCode } from '../../core/errors/snowflake-error.js';
import type { LeaseState } from '../../lease/lease-events.js';
import type { MeasuredCall, MeasuredKind } from '../../kit/call-meter.js';
import type { MakerReading } from './maker-observation.js';

/** The attribute of every metric with the name of the instance. Prometheus reserves `instance` for the scraped address. */
export const INSTANCE_ATTRIBUTE = 'snowflake.instance';

export const STATE_ATTRIBUTE = 'snowflake.state';

/** A metric that is read when it is collected. */
export interface ObservedMetric<Reading = MakerReading> {
  /** The name in the notation of OpenTelemetry, in lower case with dots. */
  readonly name: string;
  /** `sum`: can fall, and adds up over instances; `gauge`: doesn't add up. */
  readonly kind: 'counter' | 'sum' | 'gauge';
  /** In UCUM. */
  readonly unit: string;
  readonly description: string;
  /** How prom-client aggregates the values of the processes in a cluster. */
  readonly inCluster: 'sum' | 'min' | 'max' | 'omit';
  /** An attribute that tells its values apart, besides those of all metrics. */
  readonly attribute?: string;
  /** Returns the current values by the value of `attribute`; without `attribute`, under any key. Undefined values are left out. */
  read(reading: Reading): Readonly<Record<string, number | undefined>>;
}

/** One value of a metric, with its attributes. */
export interface Sample {
  readonly value: number;
  readonly attributes: Readonly<Record<string, string>>;
}

const NO_STATE: Readonly<Record<LeaseState, number>> = {
  idle: 0,
  acquiring: 0,
  active: 0,
  degraded: 0,
  exhausted: 0,
  stopped: 0,
};

/** The codes of failed calls, reported as 0 from the start, because Prometheus sees no increase in a first value. */
const NO_FAILURE = {
  SNOWFLAKE_STORE_UNAVAILABLE: 0,
  SNOWFLAKE_STORE_REJECTED: 0,
  SNOWFLAKE_STORE_CORRUPT: 0,
  SNOWFLAKE_LAYOUT_MISMATCH: 0,
  SNOWFLAKE_WORKER_IDS_EXHAUSTED: 0,
} satisfies Partial<Record<SnowflakeErrorCode, number>>;

/** Every metric that is read when it is collected. */
export const OBSERVED_METRICS: readonly ObservedMetric[] = [
  {
    name: 'snowflake.ids.issued',
    kind: 'counter',
    unit: '{id}',
    description: 'IDs that were issued',
    inCluster: 'sum',
    read: ({ status }) => ({ issued: status.issued }),
  },
  {
    name: 'snowflake.lease.state',
    kind: 'sum',
    unit: '{maker}',
    description: 'ID makers in this state of the lease: 1 for the present one, 0 for the others',
    inCluster: 'sum',
    attribute: STATE_ATTRIBUTE,
    read: ({ status }) => ({ ...NO_STATE, [status.state]: 1 }),
  },
  {
    name: 'snowflake.lease.window_left',
    kind: 'gauge',
    unit: 's',
    description: 'Time until the window ends, not until IDs end; absent if it never ends',
    inCluster: 'min',
    read: ({ status: { leaseUntil }, nowMs }) => ({
      left: leaseUntil && Math.max(0, leaseUntil.getTime() - nowMs) / 1000,
    }),
  },
  {
    name: 'snowflake.lease.ids_left',
    kind: 'gauge',
    unit: '{id}',
    description:
      'IDs of the reserve, which can be issued if the store stays unreachable; absent if the window never ends',
    inCluster: 'min',
    read: ({ status: { idsLeft } }) => ({ idsLeft }),
  },
  {
    name: 'snowflake.lease.failures',
    kind: 'counter',
    unit: '{call}',
    description: 'Calls to acquire or renew a lease that failed',
    inCluster: 'sum',
    attribute: 'error.type',
    read: ({ status }) => ({ ...NO_FAILURE, ...status.failedCalls }),
  },
  {
    name: 'snowflake.lease.switches',
    kind: 'counter',
    unit: '{switch}',
    description: 'Worker IDs that were replaced by another one',
    inCluster: 'sum',
    attribute: 'snowflake.cause',
    read: ({ switches }) => ({ ...switches }),
  },
  {
    name: 'snowflake.worker_id',
    kind: 'gauge',
    unit: '{id}',
    description: 'The worker ID in use; absent before the first lease',
    inCluster: 'omit',
    read: ({ status }) => ({ workerId: status.workerId }),
  },
  {
    name: 'snowflake.registry.worker_ids',
    kind: 'gauge',
    unit: '{id}',
    description: 'Worker IDs of the namespace in this state; only where the registry is inspected',
    inCluster: 'max',
    attribute: STATE_ATTRIBUTE,
    read: ({ registry }) => ({ ...registry?.workerIds }),
  },
  {
    name: 'snowflake.registry.waiting',
    kind: 'gauge',
    unit: '{process}',
    description:
      'Processes that wait for their first lease; only where the registry is inspected, and the store can tell',
    inCluster: 'max',
    read: ({ registry }) => ({ waiting: registry?.waiting }),
  },
  {
    name: 'snowflake.clock.drift',
    kind: 'gauge',
    unit: 's',
    description: 'How far issued timestamps run ahead of the clock',
    inCluster: 'max',
    read: ({ status }) => ({ drift: status.driftMs / 1000 }),
  },
  {
    name: 'snowflake.clock.correction',
    kind: 'gauge',
    unit: 's',
    description: 'What is added to the local clock',
    inCluster: 'max',
    read: ({ status }) => ({ correction: status.clockCorrectionMs / 1000 }),
  },
  {
    name: 'snowflake.clock.rollbacks',
    kind: 'counter',
    unit: '{rollback}',
    description: 'Steps back of the local clock beyond the tolerance',
    inCluster: 'sum',
    read: ({ clockRollbacks }) => ({ clockRollbacks }),
  },
  {
    name: 'snowflake.layout.end.timestamp',
    kind: 'gauge',
    unit: 's',
    description: 'The last instant that the bit layout can hold, as Unix time',
    inCluster: 'min',
    read: ({ status }) => ({ end: status.expiresAt.getTime() / 1000 }),
  },
];

/** Upper bounds of durations, in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const;

/** The duration of calls that renewed a lease: a histogram, recorded as they happen. */
export const RENEWAL_DURATION = {
  name: 'snowflake.lease.renewal.duration',
  unit: 's',
  description: 'Duration of the calls that renewed a lease',
  buckets: BUCKETS,
} as const;

/** The metrics of one kind of measured calls, recorded as the calls end. */
export interface CallMetrics {
  /** The attribute of both with what was called. */
  readonly attribute: string;
  /** Has the attribute `error.type`, too. */
  readonly calls: {
    readonly name: string;
    readonly kind: 'counter';
    readonly unit: string;
    readonly description: string;
  };
  /** A histogram. */
  readonly duration: {
    readonly name: string;
    readonly unit: string;
    readonly description: string;
  };
}

/** Upper bounds of the durations of calls, in seconds. Most need no I/O, or wait for nobody. */
export const CALL_BUCKETS = [0.0001, 0.00025, 0.0005, ...BUCKETS] as const;

export const CALL_METRICS: Readonly<Record<MeasuredKind, CallMetrics>> = {
  service: {
    attribute: 'snowflake.operation',
    calls: {
      name: 'snowflake.service.calls',
      kind: 'counter',
      unit: '{call}',
      description: 'Calls to the ID service',
    },
    duration: {
      name: 'snowflake.service.call.duration',
      unit: 's',
      description: 'Duration of the calls to the ID service',
    },
  },
  series: {
    attribute: 'snowflake.series',
    calls: {
      name: 'snowflake.series.requests',
      kind: 'counter',
      unit: '{request}',
      description: 'Requests for a number of a series',
    },
    duration: {
      name: 'snowflake.series.wait',
      unit: 's',
      description: 'How long a transaction waited for the counter of a series',
    },
  },
};

/** Returns the attributes of a call in its counter. */
export function attributesOfCall(
  { attribute }: CallMetrics,
  { operation, code }: MeasuredCall,
): Record<string, string> {
  return {
    ...(operation !== undefined && { [attribute]: operation }),
    ...(code !== undefined && { 'error.type': code }),
  };
}

/** Returns the attributes of a call in its histogram. */
export function attributesOfDuration({ attribute }: CallMetrics, operation: string): Record<string, string> {
  return { [attribute]: operation };
}

/** Returns the values of a metric. `shared` are the attributes of all values. */
export function samplesOf<Reading>(
  metric: ObservedMetric<Reading>,
  shared: Readonly<Record<string, string>>,
  reading: Reading,
): Sample[] {
  return Object.entries(metric.read(reading)).flatMap(([key, value]) => {
    if (value === undefined) return [];
    const own = metric.attribute === undefined ? {} : { [metric.attribute]: key };
    return [{ value, attributes: { ...shared, ...own } }];
  });
}
