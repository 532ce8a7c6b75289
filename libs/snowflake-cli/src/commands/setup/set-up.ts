import { platform } from 'node:process';
import { compilerOf } from 'nestjs-snowflake/internal/setup/host/app-compiler';
import { planSetup, setupDefaults } from 'nestjs-snowflake/internal/setup/setup';
import { refusalFor, uncommittedIn } from 'nestjs-snowflake/internal/setup/host/git-changes';
import type { SetupByHand, SetupPlan } from 'nestjs-snowflake/internal/setup/setup-plan';
import { EXIT } from '../../frame/exit-code.js';
import type { Terminal } from '../../frame/terminal.js';
import { libraryVersion } from '../../settings/library-version.js';
import type { SetupFlags } from '../setup.js';
import { answers } from './answers.js';
import { differenceOf } from './difference.js';
import { diskFiles, writeChanges } from './disk-files.js';
import { install } from './install.js';

/** Runs `setup` in the folder of an app. */
export async function setUp(flags: SetupFlags, folder: string, terminal: Terminal): Promise<void> {
  const refusal = flags.dryRun || flags.force ? undefined : refusalFor(uncommittedIn(folder));
  if (refusal !== undefined) return fail(terminal, refusal);
  const compiler = compilerOf(folder);
  const files = diskFiles(folder);
  const defaults = flags.defaults ? undefined : setupDefaults(compiler, files, flags.project);
  const { store, namespace } = defaults ? await answers(flags, defaults, terminal) : flags;
  const request = { store, namespace, entity: flags.entity, project: flags.project };
  const surroundings = {
    nowMs: terminal.now(),
    libraryVersion: libraryVersion(),
    isWindows: platform === 'win32',
  };
  const plan = planSetup(compiler, files, request, surroundings);
  if (plan.kind === 'by hand') return explain(plan, terminal);
  if (plan.changes.length === 0) {
    terminal.printError('Nothing to do: the app is set up.\n');
    return;
  }
  if (flags.dryRun) {
    for (const change of plan.changes) terminal.print(differenceOf(change));
    // Apart from the diff, which git can apply.
    for (const sentence of plan.next) terminal.printError(`Next: ${sentence}\n`);
    return;
  }
  writeChanges(folder, plan.changes);
  for (const { path, before } of plan.changes)
    terminal.print(`${before === undefined ? 'Created' : 'Changed'} ${path}\n`);
  await finish(plan, folder, flags.install, terminal);
}

async function finish(plan: SetupPlan, folder: string, installs: boolean, terminal: Terminal): Promise<void> {
  await terminal.flush();
  const missing = plan.added.length === 0 ? undefined : install(plan, folder, installs);
  for (const sentence of [...(missing === undefined ? [] : [missing]), ...plan.next])
    terminal.print(`Next: ${sentence}\n`);
}

function explain({ problem, lines }: SetupByHand, terminal: Terminal): void {
  for (const line of lines) terminal.print(`${line}\n`);
  fail(terminal, problem);
}

function fail(terminal: Terminal, message: string): void {
  terminal.printError(`error: ${message}\n`);
  terminal.exitCode = EXIT.failure;
}
