import type { Command } from 'commander';
import { InvalidOptionError, requireWholeNumber } from '../../core/index.js';
import type { RegistrySnapshot } from '../../lease/index.js';
import { withPackage } from '../frame/optional-package.js';
import type { Terminal } from '../frame/terminal.js';
import { withStore } from './stores/make-store.js';
import { readable } from './stores/reading-source.js';
import { addStoreFlags, type StoreFlags, timeoutOf } from './stores/store-flags.js';
import { subjectOf } from './stores/store-source.js';

/** What `nestjs-snowflake-console/server` exports. It is a package of its own, which this one does not need. */
interface ConsolePackage {
  startConsoleServer(options: {
    readonly namespace: { readonly description: string; inspect(): Promise<RegistrySnapshot> };
    readonly port?: number;
  }): Promise<{ readonly url: string; stop(): Promise<void> }>;
}

const COMMAND = 'console';
const PACKAGE = 'nestjs-snowflake-console';
const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Adds `console`. */
export function addConsole(program: Command, terminal: Terminal): void {
  const command = program
    .command(COMMAND)
    .description('Show who holds which worker ID, live in a browser on this machine. Only reads.');
  addStoreFlags(command)
    .option('--port <port>', 'port on 127.0.0.1 (default: a free one)')
    .action(async (flags: StoreFlags & { port?: string }) => {
      const port = portOf(flags.port);
      const { source } = await subjectOf(flags);
      const { startConsoleServer } = await loadConsole();
      const purpose = { command: COMMAND, timeoutMs: timeoutOf(flags) };
      await withStore(readable(source), purpose, async (store) => {
        const { description } = store;
        const server = await startConsoleServer({
          namespace: { description, inspect: () => store.inspect() },
          port,
        }).catch((error: unknown) => {
          throw portTaken(port, error);
        });
        terminal.print(
          `${description}\nOpen ${server.url} in a browser on this machine. Stop with Ctrl+C.\n`,
        );
        await stopSignal();
        await server.stop();
      });
    });
}

/** Its name is computed, so that this package builds without it. */
function loadConsole(): Promise<ConsolePackage> {
  const name = `${PACKAGE}/server`;
  return withPackage(PACKAGE, COMMAND, async () => (await import(name)) as ConsolePackage);
}

function portOf(port: string | undefined): number | undefined {
  return port === undefined ? undefined : requireWholeNumber('--port', Number(port), 1, 65_535);
}

function portTaken(port: number | undefined, error: unknown): unknown {
  if (Reflect.get(Object(error), 'code') !== 'EADDRINUSE') return error;
  return new InvalidOptionError('--port', port, 'is in use', 'Choose another port, or omit --port.');
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of STOP_SIGNALS) process.once(signal, () => resolve());
  });
}
