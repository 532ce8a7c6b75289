import { markdownTable } from '../support/table.js';
import type { CallCosts } from './measure/call-cost.js';
import type { CommandRate } from './measure/command-rate.js';
import type { Crowd } from './measure/crowd.js';
import { namedCalls } from './named-calls.js';
import type { Settings } from './settings.js';

/** What one run found, as docs/bench/lease.json has it. */
export interface Report {
  readonly redisVersion: string;
  readonly settings: Settings;
  readonly calls: CallCosts;
  readonly crowds: readonly Crowd[];
  readonly commandRate: CommandRate;
  /** Grants of a worker ID that another holder held: 0, or leasing is broken. */
  readonly duplicates: number;
}

const DASH = '–';
const GOAL_REGISTRY_BYTES = 150 * 1024;
const GOAL_COMMANDS = 6.5;

const METHOD = `CPU: used_cpu_user + used_cpu_sys of Redis per call, network included: the least of the batches, because what else runs
on the machine can only add to it, and their median. Script: usec_per_call of EVALSHA in INFO commandstats, by the clock,
the median; Redis serves nobody else meanwhile. Latency: one call after the other on one connection on loopback, through
the public store.`;

/** The whole report as text. */
export function reportText(report: Report): string {
  const outcome =
    report.duplicates === 0
      ? 'No worker ID was granted twice.'
      : `WORKER IDS GIVEN TWICE: ${report.duplicates}`;
  return [
    `\n## Calls of the lease store (Redis ${report.redisVersion})\n`,
    callTable(report),
    `\n${METHOD}\n`,
    '\n## Holders\n',
    holderTable(report),
    `\n${outcome}`,
  ].join('\n');
}

function callTable(report: Report): string {
  const rows = namedCalls(report).map(({ name, cost, goalUs }) => [
    name,
    cost.calls,
    rounded(cost.cpuUs),
    rounded(cost.cpuMedianUs),
    rounded(cost.scriptUs),
    rounded(cost.latencyP50Us),
    rounded(cost.latencyP99Us),
    ...goalCells(cost.cpuUs, goalUs, 'µs CPU'),
  ]);
  return markdownTable(
    ['call', 'calls', 'CPU µs', 'median', 'script µs', 'p50 µs', 'p99 µs', 'goal', 'met'],
    rows,
  );
}

function holderTable({ crowds, commandRate }: Report): string {
  const held = crowds.find(({ allUsed }) => !allUsed);
  const commands = Object.entries(commandRate.commands).map(([name, count]) => `${count} ${name}`);
  const rows = crowds.map((crowd) => [
    `${crowd.holders.toLocaleString('en-US')} holders acquire ${crowd.allUsed ? 'used' : 'fresh'} worker IDs at once`,
    `${rounded(crowd.medianMs)} ms`,
    `${rounded(crowd.fastestMs)} to ${rounded(crowd.slowestMs)} ms in ${crowd.rounds} rounds, ${connections(crowd)}`,
    'all distinct',
    crowd.allDistinct ? 'yes' : 'NO',
  ]);
  if (held) {
    rows.push([
      `registry in Redis with ${held.holders.toLocaleString('en-US')} held worker IDs`,
      `${held.registryBytes.toLocaleString('en-US')} bytes`,
      `MEMORY USAGE, SAMPLES 0`,
      ...goalCells(held.registryBytes, GOAL_REGISTRY_BYTES, 'bytes'),
    ]);
  }
  rows.push([
    `commands of a holder in ${commandRate.windowMs / 1000} s, one window`,
    commandRate.perHolder.toFixed(2),
    `${commandRate.holders} ID makers, default settings: ${commands.join(', ')}`,
    ...goalCells(commandRate.perHolder, GOAL_COMMANDS, 'a minute'),
  ]);
  return markdownTable(['what', 'measured', 'how', 'goal', 'met'], rows);
}

function connections({ connections: count }: Crowd): string {
  return count === 1 ? 'one connection' : `${count} connections`;
}

function goalCells(value: number, goal: number | undefined, unit: string): [string, string] {
  if (goal === undefined) return [DASH, DASH];
  return [`≤ ${goal.toLocaleString('en-US')} ${unit}`, value <= goal ? 'yes' : 'NO'];
}

/** Three digits at least: more are noise. */
function rounded(value: number): number {
  return value >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}
