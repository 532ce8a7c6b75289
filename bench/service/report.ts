import { markdownTable } from '../support/table.js';
import { NAMES } from './endpoints.js';
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

const WAYS: Readonly<Record<Way, string>> = {
  http: 'HTTP, Fastify',
  grpc: 'gRPC, one call per batch',
  grpcStream: 'gRPC, streams',
};

const METHOD = `CPU: process.cpuUsage() of the server, user and system, per request on loopback, in the least of the rounds, because what else
runs on the machine can only add to it. Each endpoint has a process of its own, and they take turns within each round.`;
const LATENCY_METHOD = `Requests start at a fixed rate, whether or not earlier ones have been answered, and their time counts from when they
were due. p50 and p99 are of the slice of a quarter of a second that was disturbed least.`;
const RENEWAL_METHOD = 'One call after the other. Each latency is the median of the medians of the rounds.';

/** Returns the whole report as text. */
export function reportText(report: Report): string {
  const { load, singleIds, issuedIds, repeatedIds, holders, floor } = report;
  return [
    section('A single ID', singleTable(report), METHOD),
    `The service costs ${singleIds.ratio.toFixed(2)} times as much as a route of Nest on Fastify with the same authorization.`,
    section('Latency at half of the load', latencyTable(report), LATENCY_METHOD),
    section('Batches', batchTable(report)),
    section('Renewals', renewalTable(report), RENEWAL_METHOD),
    `${count(holders.holders)} holders that renew every ${holders.renewEveryMs / 1000} s: ${holders.corePercent.toFixed(1)} % of a core of the service, ` +
      `${rounded(holders.cpuUs)} µs per call. node:http without leases and a store at that rate: ${floor.corePercent.toFixed(1)} %.`,
    `Load of the machine: ${load.before.toFixed(1)} before, ${load.after.toFixed(1)} after.`,
    repeatedIds + holders.duplicates === 0
      ? `No ID of ${count(issuedIds)} and no worker ID was issued twice.`
      : `ISSUED TWICE: ${repeatedIds} IDs, ${holders.duplicates} worker IDs`,
  ].join('\n');
}

function section(title: string, table: string, note?: string): string {
  return `\n## ${title}\n\n${table}\n${note ? `\n${note}\n` : ''}`;
}

function singleTable({ singleIds }: Report): string {
  return markdownTable(
    ['endpoint', 'CPU µs', 'requests per second and core'],
    singleIds.costs.map(({ name, cpuUs, perSecondPerCore }) => [
      name,
      rounded(cpuUs),
      rounded(perSecondPerCore),
    ]),
  );
}

function latencyTable({ latencies }: Report): string {
  return markdownTable(
    ['endpoint', 'per second', 'p50 ms', 'p99 ms'],
    latencies.map(({ endpoint, perSecond, p50Ms, p99Ms }) => [
      NAMES[endpoint],
      perSecond,
      p50Ms.toFixed(2),
      p99Ms.toFixed(2),
    ]),
  );
}

function batchTable({ batches }: Report): string {
  return markdownTable(
    ['way', 'CPU µs', 'IDs per second and core'],
    batches.map(({ way, idsPerBatch, cpuUs, idsPerSecondPerCore }) => [
      `${WAYS[way]}, ${count(idsPerBatch)} IDs`,
      rounded(cpuUs),
      rounded(idsPerSecondPerCore),
    ]),
  );
}

function renewalTable({ renewals }: Report): string {
  return markdownTable(
    ['store', 'straight, µs', 'through the service by fetch() alone, µs', 'through the service, µs'],
    renewals.map(({ store, latencyUs }) => [
      store,
      rounded(latencyUs.straight),
      rounded(latencyUs.fetched),
      rounded(latencyUs.throughService),
    ]),
  );
}

const count = (value: number): string => value.toLocaleString('en-US');

/** Three digits at least: more are noise. */
function rounded(value: number): number {
  return value >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}
