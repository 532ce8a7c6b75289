import type { Command } from 'commander';
import { systemClock } from 'nestjs-snowflake/core';
import type { KeeperSettings } from 'nestjs-snowflake/internal/lease/lease-options';
import { processEnvironment } from 'nestjs-snowflake/internal/maker/process-environment';
import { EXIT } from '../frame/exit-code.js';
import { withNote } from '../frame/slow-note.js';
import type { Terminal } from '../frame/terminal.js';
import { connectingTo, withStore } from './stores/make-store.js';
import { addStoreFlags, timeoutOf } from './stores/store-flags.js';
import { subjectOf, withStoreOfApp } from './stores/store-source.js';
import { isConfirmed } from './init/confirm.js';
import { type InitFlags, settingsOf, sourceFor } from './init/init-settings.js';
import { initializeNamespace } from './init/initialize-namespace.js';
import { requireNewBeside } from './init/new-beside.js';
import { neighborsOf } from './stores/neighbors.js';

/** Part of the fencing token: shows that this command held the worker ID for a moment. */
const HOLDER = 'nestjs-snowflake-init';

/** Adds `init`. */
export function addInit(program: Command, terminal: Terminal): void {
  const command = program
    .command('init')
    .description('Declare that a namespace is new, so that the first startup of the app does not wait.');
  addStoreFlags(command)
    .option('--layout <layout>', 'layout of the app (default: 41/10/12)')
    .option('--epoch <instant>', 'epoch of the app (default: that of the layout)')
    .option('--window-ms <ms>', 'windowMs of the app (default: 60000)')
    .option('--max-skew-ms <ms>', 'maxSkewMs of the app (default: a twelfth of the window)')
    .option('--first-worker-id <id>', 'firstWorkerId of the app (default: 0)')
    .option('--worker-count <count>', 'workerCount of the app (default: all)')
    .option('--min-replicas <count>', 'minReplicas of the app (default: 0)')
    .option('--create-table', 'create missing tables, with --database or a SQL store')
    .option(
      '--new-beside <name>',
      'an existing namespace of the server, to confirm that yours is a separate one',
    )
    .option('--yes', 'confirm without a prompt that the namespace is new')
    .action((flags: InitFlags) => init(flags, terminal));
}

async function init(given: InitFlags, terminal: Terminal): Promise<void> {
  const flags = await withStoreOfApp(given);
  const subject = await subjectOf(flags, { command: 'init' });
  const settings = await settingsOf(subject, flags);
  const source = sourceFor(subject.source, flags);
  const createTable = flags.createTable ?? (source.kind === 'sql' && source.options.createTable === true);
  const purpose = { command: 'init', timeoutMs: timeoutOf(flags), createTable, terminal };
  const neighbors = await neighborsOf(source, purpose);
  if (neighbors) requireNewBeside(flags.newBeside, neighbors);
  else
    terminal.printError(
      'The other namespaces of the server could not be listed, so check the spelling of yours.\n',
    );
  await withStore(source, purpose, async (store) => {
    const { description } = store;
    const namespace = 'options' in source ? source.options.namespace : description;
    if (
      !flags.yes &&
      !(await isConfirmed(terminal, questionOf(description, settings, namespace), namespace))
    ) {
      terminal.printError('Not confirmed. Nothing was changed.\n');
      terminal.exitCode = EXIT.failure;
      return;
    }
    const nonce = `${processEnvironment(systemClock).nonce()}:${HOLDER}`;
    const initializing = initializeNamespace(store, settings, nonce);
    const outcome = await withNote(terminal, connectingTo(source), initializing, purpose.timeoutMs);
    terminal.print(`${store.description} is ${outcome}. Layout: ${settings.fingerprint}\n`);
    if (outcome === 'already in use') terminal.exitCode = EXIT.unchanged;
  });
}

function questionOf(
  description: string,
  { fingerprint, windowMs, maxSkewMs }: KeeperSettings,
  namespace: string,
) {
  return (
    `${description} will become a new ID space:\n` +
    `  layout  ${fingerprint}\n  window  ${windowMs} ms, maxSkew ${maxSkewMs} ms\n` +
    'If the namespace was wiped, IDs can repeat: those that processes still issue in it, and those that backfill() has imported.\n' +
    `Type ${namespace} to confirm: `
  );
}
