import { type Command, Option } from 'commander';
import type { RegistryOverview, WorkerOverview, WorkerState } from 'nestjs-snowflake/store';
import { wholeNumberOption } from '../../settings/whole-number.js';

const STATES: readonly WorkerState[] = ['held', 'offline', 'released', 'reserved'];

/** What the parser passes to the action of a command with {@link addWorkerFilter}. */
export interface WorkerFilter {
  readonly worker?: number;
  readonly state?: WorkerState;
  readonly holder?: string;
}

/** Adds the options that choose worker IDs. */
export function addWorkerFilter(command: Command): Command {
  return command
    .addOption(wholeNumberOption('--worker <id>', 'show only this worker ID'))
    .addOption(new Option('--state <state>', 'show only the worker IDs in this state').choices(STATES))
    .option('--holder <text>', 'show only the worker IDs whose holder has this text in its name');
}

/** Returns the overview with the worker IDs that pass the filter. Its counts stay those of the namespace. */
export function filtered(
  overview: RegistryOverview,
  { worker, state, holder }: WorkerFilter,
): RegistryOverview {
  const wanted = holder?.toLowerCase();
  const passes = (row: WorkerOverview): boolean =>
    (worker === undefined || row.workerId === worker) &&
    (state === undefined || row.state === state) &&
    (wanted === undefined || row.holder?.toLowerCase().includes(wanted) === true);
  return { ...overview, workers: overview.workers.filter(passes) };
}
