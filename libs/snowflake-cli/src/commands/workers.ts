import type { Command } from 'commander';
import type { Terminal } from '../frame/terminal.js';
import { withStore } from './stores/make-store.js';
import { addStoreFlags, type StoreFlags, timeoutOf } from './stores/store-flags.js';
import { neighborsOf, neighborsText } from './stores/neighbors.js';
import { subjectOf } from './stores/store-source.js';
import { readable } from './stores/reading-source.js';
import { registryOverview, StoreCorruptError } from 'nestjs-snowflake/store';
import { visible } from 'nestjs-snowflake/core';
import { isEmpty, overviewJson, overviewText } from './workers/show-overview.js';

/** Adds `workers`. */
export function addWorkers(program: Command, terminal: Terminal): void {
  const command = program.command('workers').description('Show who holds which worker ID. Read-only.');
  addStoreFlags(command)
    .option('--json', 'print one line of JSON')
    .action(async (flags: StoreFlags & { json?: true }) => {
      const { source } = await subjectOf(flags);
      const purpose = { command: 'workers', timeoutMs: timeoutOf(flags) };
      await withStore(readable(source), purpose, async (store) => {
        const overview = registryOverview(await store.inspect());
        const { description } = store;
        const beside = isEmpty(overview) ? await neighborsOf(source, purpose) : undefined;
        const shown = { ...overviewJson(description, overview), otherNamespaces: beside?.others };
        terminal.print(
          flags.json ? `${visible(JSON.stringify(shown))}\n` : overviewText(description, overview, terminal),
        );
        if (!flags.json && beside && beside.others.length > 0) terminal.print(`${neighborsText(beside)}\n`);
        // Fails after the list, because in an incident the readable worker IDs matter most.
        const [broken] = overview.unreadable ?? [];
        if (broken) throw new StoreCorruptError(description, broken.field, broken.stored);
      });
    });
}
