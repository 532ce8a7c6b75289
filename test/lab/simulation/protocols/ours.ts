import type { GeneratorOptions } from '../../../../libs/snowflake/src/core/generator/generator-options.js';
import { IdGenerator } from '../../../../libs/snowflake/src/core/generator/generator.js';
import { keeperSettings } from '../../../../libs/snowflake/src/lease/lease-options.js';
import { LeaseKeeper } from '../../../../libs/snowflake/src/lease/lease-keeper.js';
import type { LeaseStore } from '../../../../libs/snowflake/src/lease/lease-store.js';
import type { MemoryRegistry } from '../../../../libs/snowflake/src/stores/memory/memory-registry.js';
import type { Agreement, Maker, Protocol, SimulatedEnvironment } from '../protocol.js';
import type { Database } from '../store-server.js';
import { START_MS } from '../world.js';
import { RegistryDatabase } from './registry-database.js';
import { NOTHING_REMOVED, type Removal } from './removals.js';
import { SimulatedLeaseStore } from './simulated-lease-store.js';

function settingsOf({ layout, timing, workerCount }: Agreement): ReturnType<typeof keeperSettings> {
  return keeperSettings(layout, { ...timing, workerCount });
}

/** The store that a process uses. */
export type StoreOf = (environment: SimulatedEnvironment<RegistryDatabase>, removal: Removal) => LeaseStore;

const directly: StoreOf = (environment, removal) => new SimulatedLeaseStore(environment, removal);

/** The library's generator and keeper, in simulated environment. */
export class LibraryMaker implements Maker {
  tenure = 0;

  private readonly generator: IdGenerator;
  private readonly keeper: LeaseKeeper;

  constructor(
    environment: Omit<SimulatedEnvironment<Database>, 'call'>,
    store: LeaseStore,
    options: GeneratorOptions,
    { Generator = IdGenerator, repeatsNonces = false }: Removal = NOTHING_REMOVED,
  ) {
    const { layout, loop, random, trace } = environment;
    this.generator = new Generator(layout, loop.clock, options, () => random.next());
    const settings = { ...settingsOf(environment), onClockRollback: options.onClockRollback ?? 'switch' };
    this.keeper = new LeaseKeeper(store, this.generator, settings, {
      clock: loop.clock,
      random: () => random.next(),
      nonce: () => (repeatsNonces ? random.hex() : environment.nonce()),
      holderName: environment.name,
      nodeEnv: () => undefined,
    });
    this.keeper.subscribe((event) => {
      if (event.type === 'acquired') this.tenure++;
      trace(() => JSON.stringify(event, shownTimes));
    });
    // A rollback is noticed while an ID is made, and answered in a promise.
    this.generator.subscribeToRollbacks(() => environment.touchPromises());
  }

  start(): Promise<void> {
    return this.keeper.start();
  }

  stop(): Promise<void> {
    return this.keeper.stop();
  }

  issue(count: number): BigUint64Array {
    return this.generator.nextBigInts(count);
  }
}

/** Instants as seconds since the world began, as in the rest of the trace. */
function shownTimes(key: string, value: unknown): unknown {
  if (typeof value === 'number' && value > START_MS / 2) return `${((value - START_MS) / 1000).toFixed(3)} s`;
  return key === 'error' && value instanceof Error ? value.message : value;
}

/** The operator's word, given once, that this ID space is new. Nobody gives it again. */
export function initialized(
  registry: MemoryRegistry,
  agreement: Agreement,
  removal: Removal = NOTHING_REMOVED,
): void {
  const { fingerprint, windowMs, maxSkewMs, workerCount } = settingsOf(agreement);
  const request = {
    layout: fingerprint,
    firstWorkerId: 0,
    workerCount,
    windowMs,
    maxSkewMs,
    nonce: 'the operator',
    retry: false,
    assumeNew: true,
    searchSeed: 0,
  };
  const server = { nowMs: START_MS, historyId: 'history1' };
  const seen = removal.alterServer?.({ ...server, replicaLagSeconds: 0 }) ?? server;
  const grant = registry.lease(request, seen);
  if (grant.outcome !== 'new') return;
  const { workerId, fencingToken } = grant;
  registry.release({ workerId, fencingToken, lastUsedMs: START_MS });
}

/** This library's protocol, whole or with one mechanism removed. */
export function ours(
  removal: Removal = NOTHING_REMOVED,
  options: GeneratorOptions = {},
  storeOf: StoreOf = directly,
): Protocol<RegistryDatabase> {
  return {
    name: removal.name,
    content: (agreement) => {
      const content = new RegistryDatabase(removal.newRegistry);
      initialized(content.registry, agreement, removal);
      return content;
    },
    maker: (environment) => new LibraryMaker(environment, storeOf(environment, removal), options, removal),
  };
}
