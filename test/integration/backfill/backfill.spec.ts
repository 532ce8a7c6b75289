import { BitLayout } from 'nestjs-snowflake/core';
import { SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import { initializeNamespace } from '../../../libs/snowflake-cli/src/commands/init/initialize-namespace.js';
import { keeperSettings } from '../../../libs/snowflake/src/lease/lease-options.js';
import { startService, TOKEN } from '../../../libs/snowflake-service/test/service-app.js';
import { duplicatesIn, firstDescent } from '../../lease/support/id-checks.js';
import { spawnChild, type TestChild } from '../../support/child.js';
import { cleanUpAfterAll, cleanUpAfterEach } from '../../support/clean-up.js';
import { databaseFor, startEtcd, startRedis, startZookeeper } from '../../support/servers/index.js';
import { type StoreKind, storeOf } from './children/store-of.js';

const PROGRAM = new URL('./children/importing.ts', import.meta.url);
const BATCHES = 20;
const NAMESPACES = ['declared', 'undeclared', 'shop', 'forgetful'];

const afterAllTests = cleanUpAfterAll();
const afterEachTest = cleanUpAfterEach();

async function started<Server extends { stop(): Promise<void> }>(starting: Promise<Server>): Promise<Server> {
  const server = await starting;
  afterAllTests(() => server.stop());
  return server;
}

interface Place {
  readonly address: string;
  /** The PostgreSQL behind a service. */
  readonly database?: string;
}

/** Each makes a server available. */
const SERVERS: Readonly<Record<StoreKind, () => Promise<Place>>> = {
  redis: async () => ({ address: (await started(startRedis())).url }),
  postgres: async () => ({ address: await databaseFor('postgres', 'backfill') }),
  mariadb: async () => ({ address: await databaseFor('mariadb', 'backfill') }),
  /** Over HTTP, with its token as the user of the address. */
  service: async () => {
    const database = await databaseFor('postgres', 'backfill through a service');
    const leases = NAMESPACES.map((namespace) => [namespace, storeOf('postgres', database, namespace)]);
    const { url } = await started(startService('Fastify', { leases: Object.fromEntries(leases) }));
    return { address: url.replace('//', `//${TOKEN}@`), database };
  },
  etcd: async () => ({ address: (await started(startEtcd())).url }),
  zookeeper: async () => ({ address: (await started(startZookeeper())).connectString }),
};

interface Batch {
  readonly batch: number;
  readonly past: readonly string[];
  readonly present: string;
}

const isBatch = (message: unknown): message is Batch => Object.hasOwn(Object(message), 'batch');

/** A process that imports, and what it has made. */
class ImportingProcess {
  /** In the order of the rows. */
  readonly past: bigint[] = [];
  readonly present: bigint[] = [];
  private batches = 0;

  private constructor(private readonly child: TestChild) {}

  static start(...args: readonly string[]): ImportingProcess {
    const child = spawnChild(PROGRAM, { args });
    afterEachTest(() => child.kill());
    return new ImportingProcess(child);
  }

  get all(): bigint[] {
    return [...this.past, ...this.present];
  }

  /** Resolves when so many batches have their IDs. */
  async reach(batches: number): Promise<void> {
    for (; this.batches < batches; this.batches += 1) {
      const { batch, past, present } = await this.child.next(isBatch);
      expect(batch).toBe(this.batches);
      this.past.push(...past.map(BigInt));
      this.present.push(BigInt(present));
    }
  }

  /** As `kill -9` does: a claim may be under way. */
  async kill(): Promise<void> {
    await this.child.kill('SIGKILL');
  }
}

describe.each(Object.keys(SERVERS) as StoreKind[])('imports on %s', (kind) => {
  let address: string;
  let database: string | undefined;
  beforeAll(async () => {
    ({ address, database } = await SERVERS[kind]());
  }, 120_000);

  it('need no assertion after init, and need one elsewhere [promise: after-loss]', async () => {
    const store = storeOf(kind, address, 'declared');
    await store.open?.({ callTimeoutMs: 30_000 });
    const settings = keeperSettings(new BitLayout(), {});
    expect(await initializeNamespace(store, settings, '0123456789abcdef:init')).toBe('initialized');
    await store.close();
    const firstImport = async (namespace: string, lease: object): Promise<unknown> => {
      await using ids = new SnowflakeIdMaker({ store: storeOf(kind, address, namespace), lease });
      await ids.start();
      // Before the maker is disposed.
      return await ids.backfill(['2025-01-01']).catch(({ reason }: { reason: unknown }) => reason);
    };
    expect(await firstImport('declared', {})).toHaveLength(1);
    expect(await firstImport('undeclared', { possibleLoss: 'ignore' })).toBe('possible-loss');
  });

  it('generate no equal IDs of one year, also if one of them is killed and starts again [promise: unique]', async () => {
    const start = (): ImportingProcess => ImportingProcess.start(kind, address, 'shop');
    const [killed, other] = [start(), start()];
    await Promise.all([killed.reach(BATCHES / 2), other.reach(BATCHES / 4)]);
    await killed.kill();
    const again = start();
    await Promise.all([again.reach(BATCHES), other.reach(BATCHES)]);
    const processes = [killed, other, again];
    expect(duplicatesIn(processes.map(({ all }) => all))).toEqual([]);
    expect(processes.map(({ past }) => firstDescent(past))).toEqual([-1, -1, -1]);
  });

  it('generate equal IDs if one forgets what was claimed (control) [promise: unique]', async () => {
    const honest = ImportingProcess.start(kind, address, 'forgetful');
    await honest.reach(BATCHES);
    await honest.kill();
    // A service decides itself, so the other process passes it by.
    const place = database === undefined ? [kind, address] : ['postgres', database];
    const forgetful = ImportingProcess.start(...place, 'forgetful', 'forgets');
    await forgetful.reach(BATCHES);
    expect(duplicatesIn([honest.all, forgetful.all])).toEqual(honest.past);
  });
});
