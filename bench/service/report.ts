import { markdownTable } from '../support/table.js';
import { type Endpoint, NAMES } from './endpoints.js';
import type { BatchCost, Way } from './measure/batches.js';
import type { Holders, PacedCost } from './measure/holders.js';
import type { Latency } from './measure/latency.js';
import type { Renewal } from './measure/renewals.js';
import type { SingleIds } from './measure/single-ids.js';
import type { Settings } from './settings.js';

/** What one run found, as docs/bench/service.json has it. */
export interface Report {
  readonly settings: Settings;
  /** The load of the machine in the last minute, which is that of other work before the run. */
  readonly load: { readonly before: number; readonly after: number };
  readonly singleIds: SingleIds;
  readonly latencies: readonly Latency[];
  readonly batches: readonly BatchCost[];
  readonly renewals: readonly Renewal[];
  readonly holders: Holders;
  /** A server without leases and without a store. */
  readonly floor: PacedCost;
  readonly issuedIds: number;
  /** IDs that were issued more than once: 0, or the service is broken. */
  readonly repeatedIds: number;
}

const GOALS = {
  httpPerSecond: 10_000,
  grpcPerSecond: 8000,
  p99Ms: 2,
  batchIdsPerSecond: 3e6,
  renewalRatio: 2,
  holdersCorePercent: 5,
};
const DASH = '–';
const WAYS: Readonly<Record<Way, string>> = {
  http: 'HTTP, Fastify',
  grpc: 'gRPC, one call per batch',
  grpcStream: 'gRPC, streams',
};

const METHOD = `CPU: process.cpuUsage() of the server, user and system, per request on loopback. The least of the rounds, because
what else runs on the machine can only add to it, and their median. Each endpoint has a process of its own, and they take turns within
each round. Ratios are of the least CPU. Per second: what one core serves, from the least CPU.`;
const LATENCY_METHOD = `Requests start at a fixed rate, whether or not earlier ones have been answered, and their time counts from when they
were due. p50 and p99: of the slice of a quarter of a second that was disturbed least; the medians are of all slices.`;
const RENEWAL_METHOD = `One call after the other. Latency: the median. CPU: of the holder and the service, without the one of the
database. Ratios: through the service to straight, the median of those within a round.`;

/** The whole report as text. */
export function reportText(report: Report): string {
  const { load, issuedIds, repeatedIds, holders } = report;
  const isClean = repeatedIds + holders.duplicates === 0;
  return [
    section('A single ID', singleTable(report)),
    section('Ratios', ratioTable(report), METHOD),
    section('Latency at half of the load', latencyTable(report), LATENCY_METHOD),
    section('Batches', batchTable(report)),
    section('Renewals', renewalTable(report), RENEWAL_METHOD),
    section('Holders that only renew', holderTable(report)),
    `\nLoad of the machine: ${load.before.toFixed(1)} before, ${load.after.toFixed(1)} after.`,
    isClean
      ? `No ID of ${issuedIds.toLocaleString('en-US')} and no worker ID was issued twice.`
      : `ISSUED TWICE: ${repeatedIds} IDs, ${holders.duplicates} worker IDs`,
  ].join('\n');
}

function section(title: string, table: string, note?: string): string {
  return `\n## ${title}\n\n${table}\n${note ? `\n${note}\n` : ''}`;
}

function singleTable({ singleIds }: Report): string {
  const rows = singleIds.costs.map(({ endpoint, name, requests, cpuUs, cpuMedianUs, perSecondPerCore }) => {
    const goal = goalOf(endpoint);
    return [
      name,
      requests,
      rounded(cpuUs),
      rounded(cpuMedianUs),
      rounded(perSecondPerCore),
      ...(goal === undefined ? [DASH, DASH] : goalCells(`> ${count(goal)}`, perSecondPerCore > goal)),
    ];
  });
  return markdownTable(['endpoint', 'requests', 'CPU µs', 'median', 'per second', 'goal', 'met'], rows);
}

function goalOf(endpoint: Endpoint): number | undefined {
  if (endpoint === 'serviceOnFastify') return GOALS.httpPerSecond;
  return endpoint === 'serviceOverGrpc' ? GOALS.grpcPerSecond : undefined;
}

function ratioTable({ singleIds }: Report): string {
  const rows = singleIds.ratios.map(({ ours, against, ratio, atMost }) => [
    NAMES[ours],
    NAMES[against],
    ratio.toFixed(2),
    ...(atMost === undefined ? [DASH, DASH] : goalCells(`≤ ${atMost}`, ratio <= atMost)),
  ]);
  return markdownTable(['endpoint', 'against', 'ratio', 'goal', 'met'], rows);
}

function latencyTable({ latencies }: Report): string {
  const rows = latencies.map(({ endpoint, perSecond, p50Ms, p99Ms, medianP50Ms, medianP99Ms, load }) => [
    NAMES[endpoint],
    perSecond,
    p50Ms.toFixed(2),
    p99Ms.toFixed(2),
    medianP50Ms.toFixed(2),
    medianP99Ms.toFixed(2),
    load.toFixed(1),
    ...(goalOf(endpoint) === undefined
      ? [DASH, DASH]
      : goalCells(`p99 ≤ ${GOALS.p99Ms} ms`, p99Ms <= GOALS.p99Ms)),
  ]);
  const columns = [
    'endpoint',
    'per second',
    'p50 ms',
    'p99 ms',
    'median p50',
    'median p99',
    'load',
    'goal',
    'met',
  ];
  return markdownTable(columns, rows);
}

function batchTable({ batches }: Report): string {
  const rows = batches.map(({ way, idsPerBatch, batches: made, cpuUs, cpuMedianUs, idsPerSecondPerCore }) => [
    `${WAYS[way]}, ${count(idsPerBatch)} IDs`,
    made,
    rounded(cpuUs),
    rounded(cpuMedianUs),
    rounded(idsPerSecondPerCore),
    ...goalCells(`> ${count(GOALS.batchIdsPerSecond)}`, idsPerSecondPerCore > GOALS.batchIdsPerSecond),
  ]);
  return markdownTable(['way', 'batches', 'CPU µs', 'median', 'IDs per second', 'goal', 'met'], rows);
}

function renewalTable({ renewals }: Report): string {
  const rows = renewals.flatMap(
    ({ store, calls, straight, fetched, throughService, latencyRatio, cpuRatio }) => [
      [store, 'straight', calls, ...costCells(straight), DASH, DASH, DASH, DASH],
      [store, 'through the service, fetch() alone', calls, ...costCells(fetched), DASH, DASH, DASH, DASH],
      [
        store,
        'through the service',
        calls,
        ...costCells(throughService),
        latencyRatio.toFixed(2),
        cpuRatio.toFixed(2),
        ...goalCells(`latency ≤ ${GOALS.renewalRatio}`, latencyRatio <= GOALS.renewalRatio),
      ],
    ],
  );
  const columns = [
    'store',
    'way',
    'calls',
    'p50 µs',
    'holder µs',
    'service µs',
    'latency',
    'CPU',
    'goal',
    'met',
  ];
  return markdownTable(columns, rows);
}

function costCells({ latencyP50Us, holderCpuUs, serviceCpuUs }: Renewal['straight']): number[] {
  return [rounded(latencyP50Us), rounded(holderCpuUs), rounded(serviceCpuUs)];
}

function holderTable({ holders, floor }: Report): string {
  const rows = [
    [
      'The service on Fastify, and Redis',
      count(holders.holders),
      `${holders.renewEveryMs / 1000} s`,
      rounded(holders.cpuUs),
      `${holders.corePercent.toFixed(1)} %`,
      holders.latencyP50Ms.toFixed(1),
      holders.latencyP99Ms.toFixed(1),
      ...goalCells(`< ${GOALS.holdersCorePercent} %`, holders.corePercent < GOALS.holdersCorePercent),
    ],
    [
      `${NAMES.nodeHttp}, no store`,
      DASH,
      DASH,
      rounded(floor.cpuUs),
      `${floor.corePercent.toFixed(1)} %`,
      DASH,
      DASH,
      DASH,
      DASH,
    ],
  ];
  const columns = [
    'server',
    'holders',
    'renew every',
    'CPU µs',
    'of a core',
    'p50 ms',
    'p99 ms',
    'goal',
    'met',
  ];
  return markdownTable(columns, rows);
}

function goalCells(goal: string, isMet: boolean): [string, string] {
  return [goal, isMet ? 'yes' : 'NO'];
}

const count = (value: number): string => value.toLocaleString('en-US');

/** Three digits at least: more are noise. */
function rounded(value: number): number {
  return value >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}
