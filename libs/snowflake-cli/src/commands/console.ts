import type { Command } from 'commander';
import { InvalidOptionError, systemClock } from 'nestjs-snowflake/core';
import { requireWholeNumber } from 'nestjs-snowflake/internal/core/options/option-checks';
import { settledWithin } from 'nestjs-snowflake/internal/kit/call-deadline';
import { isEmptyRegistry } from 'nestjs-snowflake/internal/lease/registry-overview';
import type { RegistrySnapshot } from 'nestjs-snowflake/store';
import { withPackage } from '../frame/optional-package.js';
import { withNote } from '../frame/slow-note.js';
import { stopSignal } from '../frame/stop-signal.js';
import type { Terminal } from '../frame/terminal.js';
import { connectingTo, type StorePurpose, withStore } from './stores/make-store.js';
import { withOnlyNamespace } from './stores/namespaces-in-redis.js';
import { neighborsOf, neighborsText } from './stores/neighbors.js';
import { readable } from './stores/reading-source.js';
import { addStoreFlags, type StoreFlags, timeoutOf } from './stores/store-flags.js';
import { type StoreSource, subjectOf, withStoreOfApp } from './stores/store-source.js';

/** The exports of `nestjs-snowflake-console/server`. This package doesn't depend on the console. */
interface ConsolePackage {
  startConsoleServer(options: {
    readonly namespace: {
      readonly name: string;
      readonly description: string;
      inspect(): Promise<RegistrySnapshot>;
    };
    readonly port?: number;
  }): Promise<{ readonly url: string; stop(): Promise<void> }>;
}

const COMMAND = 'console';
const PACKAGE = 'nestjs-snowflake-console';

/** Adds `console`. */
export function addConsole(program: Command, terminal: Terminal): void {
  const command = program
    .command(COMMAND)
    .description('Serve a live page on this machine that shows who holds which worker ID. Read-only.');
  addStoreFlags(command)
    .option('--port <port>', 'port on 127.0.0.1 (default: a free one)')
    .action(async (flags: StoreFlags & { port?: string }) => {
      const port = portOf(flags.port);
      const timeoutMs = timeoutOf(flags);
      const purpose = { command: COMMAND, packages: [PACKAGE], timeoutMs, terminal };
      const { source } = await subjectOf(
        await withOnlyNamespace(await withStoreOfApp(flags), purpose),
        purpose,
      );
      const { startConsoleServer } = await loadConsole(flags);
      await withStore(readable(source), purpose, async (store) => {
        const inspect = () =>
          settledWithin(systemClock, timeoutMs, store.inspect(), () => tooLate(timeoutMs));
        // This call connects first, so that the description names the schema.
        const emptyNote = (await withNote(terminal, connectingTo(source), isEmpty(inspect), timeoutMs))
          ? await emptyText(source, purpose)
          : '';
        const { description } = store;
        const server = await startConsoleServer({
          namespace: { name: nameOf(source) ?? description, description, inspect },
          port,
        }).catch((error: unknown) => {
          throw portTaken(port, error);
        });
        // Listens before the address is printed, so that no signal is missed.
        const stopped = stopSignal();
        terminal.print(
          `${description}${emptyNote}\nOpen ${server.url} in a browser on this machine. Stop with Ctrl+C.\n`,
        );
        await stopped;
        await server.stop();
      });
    });
}

/** Imports a computed name, so that this package compiles without the console. */
function loadConsole({ redis }: StoreFlags): Promise<ConsolePackage> {
  const name = `${PACKAGE}/server`;
  const others = redis ? ['ioredis'] : [];
  return withPackage(PACKAGE, COMMAND, async () => (await import(name)) as ConsolePackage, others);
}

async function emptyText(source: StoreSource, purpose: StorePurpose): Promise<string> {
  const others = neighborsText(await neighborsOf(source, purpose));
  return ` is empty: nothing is stored. ${others || 'Check the namespace.'}`;
}

function nameOf(source: StoreSource): string | undefined {
  return 'options' in source ? source.options.namespace : undefined;
}

function tooLate(timeoutMs: number): Error {
  return new Error(
    `The store did not answer within ${timeoutMs} ms. Check that it is reachable, or raise --timeout-ms.`,
  );
}

/** Returns whether nothing is stored, as in a misspelled namespace. The page itself shows that a store can't be read. */
async function isEmpty(inspect: () => Promise<RegistrySnapshot>): Promise<boolean> {
  const snapshot = await inspect().catch(() => undefined);
  return snapshot !== undefined && isEmptyRegistry(snapshot);
}

function portOf(port: string | undefined): number | undefined {
  return port === undefined ? undefined : requireWholeNumber('--port', Number(port), 1, 65_535);
}

function portTaken(port: number | undefined, error: unknown): unknown {
  if (Reflect.get(Object(error), 'code') !== 'EADDRINUSE') return error;
  return new InvalidOptionError('--port', port, 'is in use', 'Choose another port, or omit --port.');
}
