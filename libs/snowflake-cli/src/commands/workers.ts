import type { Command } from 'commander';
import { systemClock, visible } from 'nestjs-snowflake/core';
import { type LeaseStore, registryOverview, StoreCorruptError } from 'nestjs-snowflake/store';
import { EXIT } from '../frame/exit-code.js';
import { errorText } from '../frame/report-error.js';
import { withNote } from '../frame/slow-note.js';
import { stopSignal } from '../frame/stop-signal.js';
import type { Terminal } from '../frame/terminal.js';
import { connectingTo, type StorePurpose, withStore } from './stores/make-store.js';
import { neighborsOf, neighborsText } from './stores/neighbors.js';
import { readable } from './stores/reading-source.js';
import { addStoreFlags, type StoreFlags, timeoutOf } from './stores/store-flags.js';
import { type StoreSource, subjectOf, withStoreOfApp } from './stores/store-source.js';
import { isEmpty, overviewJson, overviewText } from './workers/show-overview.js';
import { addWorkerFilter, filtered, type WorkerFilter } from './workers/worker-filter.js';

interface WorkersFlags extends StoreFlags, WorkerFilter {
  readonly watch?: true;
  readonly json?: true;
}

const WATCH_EVERY_MS = 2000;
/** Moves to the top of the terminal, and clears what is below. */
const CLEAR = '\u001b[H\u001b[J';

/** Adds `workers`. */
export function addWorkers(program: Command, terminal: Terminal): void {
  const command = program.command('workers').description('Show who holds which worker ID. Read-only.');
  addWorkerFilter(addStoreFlags(command))
    .option('--watch', 'show it again every 2 s, until Ctrl+C')
    .option('--json', 'print one line of JSON')
    .action(async (flags: WorkersFlags) => {
      const purpose = { command: 'workers', timeoutMs: timeoutOf(flags), terminal };
      const { source } = await subjectOf(await withStoreOfApp(flags), purpose);
      await withStore(readable(source), purpose, async (store) => {
        const view = new WorkersView(store, source, purpose, flags, terminal);
        await (flags.watch ? view.watch() : view.show());
      });
    });
}

class WorkersView {
  private shownCount = 0;

  constructor(
    private readonly store: LeaseStore,
    private readonly source: StoreSource,
    private readonly purpose: StorePurpose,
    private readonly flags: WorkersFlags,
    private readonly terminal: Terminal,
  ) {}

  /** Reads the registry and prints it. @throws what the store throws, and StoreCorruptError after the list */
  async show(): Promise<void> {
    const { store, flags, terminal } = this;
    const snapshot = await withNote(
      terminal,
      connectingTo(this.source),
      store.inspect(),
      this.purpose.timeoutMs,
    );
    const overview = registryOverview(snapshot);
    const { description } = store;
    const isUnknown = isEmpty(overview);
    const neighbors = isUnknown ? await neighborsOf(this.source, this.purpose) : undefined;
    const chosen = filtered(overview, flags);
    this.beginAgain();
    if (flags.json) {
      const shown = { ...overviewJson(description, chosen), otherNamespaces: neighbors?.others };
      terminal.print(`${visible(JSON.stringify(shown))}\n`);
    } else {
      terminal.print(overviewText(description, chosen, terminal));
      if (chosen.workers.length === 0 && overview.workers.length > 0)
        terminal.print('\nNo worker ID matches.\n');
      if (neighbors && neighbors.others.length > 0) terminal.print(`${neighborsText(neighbors)}\n`);
    }
    if (isUnknown) terminal.exitCode = EXIT.failure;
    // Fails after the list, because in an incident the readable worker IDs matter most.
    const [broken] = overview.unreadable ?? [];
    if (broken) throw new StoreCorruptError(description, broken.field, broken.stored);
  }

  /** Shows it until somebody stops the process. Goes on after an error, because people watch in an outage. */
  async watch(): Promise<void> {
    const stopped = stopSignal();
    for (let isStopped = false; !isStopped; isStopped = await stoppedWithin(stopped, WATCH_EVERY_MS)) {
      const shown = this.show().catch((error: unknown) => this.terminal.printError(`${errorText(error)}\n`));
      await Promise.race([shown, stopped]);
      await this.terminal.flush();
    }
    this.terminal.exitCode = EXIT.fine;
  }

  /** Separates this list from the one before. */
  private beginAgain(): void {
    const { flags, terminal } = this;
    if (flags.watch && !flags.json) {
      if (terminal.isOutputInteractive) terminal.print(CLEAR);
      else if (this.shownCount > 0) terminal.print('\n');
    }
    this.shownCount++;
  }
}

function stoppedWithin(stopped: Promise<void>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const wait = systemClock.schedule(ms, () => resolve(false));
    wait.keepProcessAlive?.();
    void stopped.then(() => {
      wait.cancel();
      resolve(true);
    });
  });
}
