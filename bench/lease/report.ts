import { markdownTable } from '../support/table.js';
import type { CallCosts } from './measure/call-cost.js';
import type { CommandRate } from './measure/command-rate.js';
import type { Crowd } from './measure/crowd.js';
import type { Settings } from './settings.js';

/** What one run found, as docs/bench/lease.json has it. */
export interface Report {
  readonly redisVersion: string;
  readonly settings: Settings;
  readonly calls: CallCosts;
  readonly crowd: Crowd;
  readonly commandRate: CommandRate;
  /** Grants of a worker ID that another holder held: 0, or leasing is broken. */
  readonly duplicates: number;
}

/** Returns the kinds of call with what each costs Redis, in the order of the table and the chart. */
export function namedCalls({ calls, settings }: Report): { name: string; cpuUs: number }[] {
  const many = settings.manyWorkerIds.toLocaleString('en-US');
  return [
    { name: 'renewal', ...calls.renewal },
    { name: 'claim, fresh worker ID', ...calls.freshClaim },
    { name: 'claim, longest offline of 1,024', ...calls.offlineClaim },
    { name: `claim, longest offline of ${many}`, ...calls.offlineClaimOfMany },
  ];
}

/** Returns the whole report as text. */
export function reportText(report: Report): string {
  const { redisVersion, settings, crowd, commandRate, duplicates } = report;
  const { batches, callsPerBatch } = settings;
  const commands = Object.entries(commandRate.commands).map(([name, count]) => `${count} ${name}`);
  const rows = namedCalls(report).map(({ name, cpuUs }) => [name, Math.round(cpuUs)]);
  return `
${markdownTable(['call', 'CPU µs'], rows)}

CPU: used_cpu_user + used_cpu_sys of Redis ${redisVersion} per call, network included: the least of ${batches} batches of ${callsPerBatch} calls.

${crowd.holders.toLocaleString('en-US')} holders that acquire at once on ${crowd.connections} connections: ${crowd.medianMs.toFixed(0)} ms, the median of ${settings.crowdRounds} rounds.
Commands of a holder in one window, ${commandRate.windowMs / 1000} s: ${commandRate.perHolder.toFixed(2)}. ${commandRate.holders} holders sent ${commands.join(', ')}.
${duplicates === 0 ? 'No worker ID was granted twice.' : `WORKER IDS GRANTED TWICE: ${duplicates}`}`;
}
