import { StoreUnavailableError } from '../../../../libs/snowflake/src/core/errors/lease-errors.js';
import type { GeneratorOptions } from '../../../../libs/snowflake/src/core/generator/generator-options.js';
import type { CallDeadline, LeaseStore } from '../../../../libs/snowflake/src/lease/lease-store.js';
import { MemoryRegistry } from '../../../../libs/snowflake/src/stores/memory/memory-registry.js';
import { KeyValueLeaseStore } from '../../../../libs/snowflake-coordination/src/key-value/key-value-lease-store.js';
import {
  type Commit,
  type Entry,
  type KeyRange,
  type KeyValueConnection,
  type KeyValuePort,
  Overtaken,
  type Reading,
  type ServerMarks,
} from '../../../../libs/snowflake-coordination/src/key-value/key-value-port.js';
import { VirtualKeyValues } from '../../../support/differential/key-value-pair.js';
import { KeyValueContent } from '../../../support/memory-key-values.js';
import type { Protocol, SimulatedEnvironment } from '../protocol.js';
import type { Database, ServerView } from '../store-server.js';
import { initialized, LibraryMaker } from './ours.js';

/** Keys and values as something that a simulated server keeps. */
export class KeyValueDatabase implements Database {
  constructor(readonly values = new KeyValueContent()) {}

  copy(): KeyValueDatabase {
    return new KeyValueDatabase(this.values.copy());
  }

  wipe(): void {
    this.values.wipe();
  }
}

type Environment = SimulatedEnvironment<KeyValueDatabase>;

/** The registry of keys and values without one of its mechanisms. */
export interface KeyValueRemoval {
  readonly name: string;
  readonly alterCommit?: (commit: Commit) => Commit;
}

/** What the registry of keys and values adds, removed. */
export const KEY_VALUE_REMOVALS: readonly KeyValueRemoval[] = [
  { name: 'key-value without conditions', alterCommit: (commit) => ({ ...commit, conditions: new Map() }) },
];

/** One attempt on the simulated network. Each step is a request of its own, and others come between. */
class SimulatedPort implements KeyValuePort {
  private historyId: string | undefined;

  constructor(
    private readonly environment: Environment,
    private readonly deadline: CallDeadline,
    private readonly removal: KeyValueRemoval,
  ) {}

  read(keys: readonly string[], lastOf?: KeyRange): Promise<Reading> {
    return this.step((values, { nowMs, historyId }) => ({
      entries: values.read(keys),
      lastKey: lastOf && values.within(lastOf).at(-1)?.[0],
      server: { nowMs, historyId, positionAtMost: 0n },
    }));
  }

  entry(key: string): Promise<Entry | undefined> {
    return this.step((values) => values.entries.get(key));
  }

  entries(range: KeyRange, limit: number): Promise<ReadonlyMap<string, Entry>> {
    return this.step((values) => new Map(values.within(range).slice(0, limit)));
  }

  outermost(range: KeyRange, limit: number): Promise<ReadonlyMap<string, Entry>> {
    return this.step((values) => values.outermost(range, limit));
  }

  async marks(): Promise<ServerMarks> {
    return { positionAtLeast: 0n };
  }

  commit(changes: Commit): Promise<boolean> {
    const { alterCommit } = this.removal;
    return this.step((values) => values.commit(alterCommit?.(changes) ?? changes));
  }

  private async step<Reply>(take: (values: KeyValueContent, server: ServerView) => Reply): Promise<Reply> {
    if (this.deadline.remainingMs() <= 0) throw new StoreUnavailableError('the deadline has passed');
    const { historyId, reply } = await this.environment.call(({ values }, server) => {
      this.requireMajority(server);
      // A connection leads to one server, and ends with it.
      if (this.historyId !== undefined && this.historyId !== server.historyId) throw new Overtaken();
      return { historyId: server.historyId, reply: take(values, server) };
    });
    this.historyId ??= historyId;
    return reply;
  }

  /** A server that few follow answers nothing. */
  private requireMajority({ replicaLagSeconds }: ServerView): void {
    const { minReplicas, timing } = this.environment;
    if (minReplicas === 0 || replicaLagSeconds * 1000 <= timing.maxSkewMs) return;
    throw new StoreUnavailableError('no majority');
  }
}

function simulatedStore(environment: Environment, removal: KeyValueRemoval): LeaseStore {
  const connection: KeyValueConnection = {
    open: () => undefined,
    reconnect: () => undefined,
    close: async () => undefined,
    port: (deadline) => new SimulatedPort(environment, deadline, removal),
  };
  return new KeyValueLeaseStore('simulated keys and values', connection, environment.loop.clock);
}

/** This library's protocol on keys and values, whole or with one mechanism removed. */
export function keyValue(
  removal: KeyValueRemoval = { name: 'key-value' },
  options: GeneratorOptions = {},
): Protocol<KeyValueDatabase> {
  return {
    name: removal.name,
    content: (agreement) => {
      const registry = new MemoryRegistry();
      initialized(registry, agreement);
      const virtual = new VirtualKeyValues();
      virtual.put(Object.fromEntries(registry.fields));
      return new KeyValueDatabase(virtual.values.content);
    },
    maker: (environment) => new LibraryMaker(environment, simulatedStore(environment, removal), options),
  };
}
