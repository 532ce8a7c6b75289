import { join } from 'node:path';
import { Redis } from 'ioredis';
import {
  type DatabaseServer,
  DURABLE_SETTINGS,
  type EtcdServer,
  startEtcd,
  startPostgres,
  startRedis,
  startZookeeper,
  type RedisOptions,
  type RedisServer,
  type ZookeeperServer,
} from '../../../support/servers/index.js';
import { makeDirectory, removeDirectory } from '../../../support/servers/server-process.js';
import type { DefectName } from './defects.js';
import { Issuer } from './issuer.js';
import { type IssuerJob, LAYOUT, SHORT, type StoreOptions } from './issuer-job.js';
import { LeaseService } from './lease-service.js';
import { UnreliableNetwork } from '../../../support/proxies/unreliable-network.js';
import { bootedAtMs, trueTimeMs } from './true-time.js';

export const NAMESPACE = 'faults';
export const REGISTRY_KEY = `snowflake:{${NAMESPACE}}`;
const COMMAND_WITHIN_MS = 10_000;

/** What the issuers of a scenario have in common. */
export type Setting = Partial<Omit<IssuerJob, 'file' | 'bootedAtMs' | 'store'>> & {
  readonly store?: Partial<IssuerJob['store']>;
};

/** Where a scenario is played: its servers, its issuers and its files. Closing it ends and removes all of them. */
export class Stage {
  readonly issuers: Issuer[] = [];
  private readonly directory = makeDirectory('faults');
  private readonly bootedAtMs = bootedAtMs();
  private readonly closing: (() => unknown)[] = [];
  private setting: Setting = {};
  private isClosed = false;

  /** @param defect what is broken in the library that the issuers run, in a control */
  constructor(private readonly defect?: DefectName) {}

  /** The true time, by the clock of the issuers. */
  nowMs(): number {
    return trueTimeMs(this.bootedAtMs);
  }

  /** Sets what all issuers to come have in common. */
  set(setting: Setting): void {
    this.setting = { ...this.setting, ...setting };
  }

  async redis(options?: RedisOptions): Promise<RedisServer> {
    this.requireOpen();
    const server = await startRedis(options);
    this.defer(() => server.stop());
    return server;
  }

  /** A PostgreSQL that keeps what it has acknowledged. */
  async postgres(): Promise<DatabaseServer> {
    this.requireOpen();
    const server = await startPostgres({ settings: DURABLE_SETTINGS.postgres });
    this.defer(() => server.stop());
    return server;
  }

  async etcd(members: 1 | 3): Promise<EtcdServer> {
    this.requireOpen();
    const etcd = await startEtcd({ members });
    this.defer(() => etcd.stop());
    return etcd;
  }

  /** An ensemble of three. */
  async zookeeper(): Promise<ZookeeperServer> {
    this.requireOpen();
    const zookeeper = await startZookeeper();
    this.defer(() => zookeeper.stop());
    return zookeeper;
  }

  /** A client for the hand of the operator. */
  client(url: string): Redis {
    const client = new Redis(url, { commandTimeout: COMMAND_WITHIN_MS });
    // Servers go down on purpose here: each command has its own error.
    client.on('error', () => undefined);
    this.defer(() => client.disconnect());
    return client;
  }

  async proxy(targetPort: number): Promise<UnreliableNetwork> {
    const proxy = await UnreliableNetwork.start(targetPort);
    this.defer(() => proxy.close());
    return proxy;
  }

  /** A service that leases the worker IDs of `store` to the issuers: a Redis, or a PostgreSQL if its URL names one. */
  async service(store: Omit<StoreOptions, 'namespace'>): Promise<LeaseService> {
    this.requireOpen();
    const service = await LeaseService.start({ namespace: NAMESPACE, ...store });
    this.defer(() => service.kill());
    return service;
  }

  /** A fresh file name. */
  file(name: string): string {
    return join(this.directory, name);
  }

  /** Starts a process. The very first one asserts that the ID space is new; all others take no risk. */
  spawn(setting: Setting = {}, env: NodeJS.ProcessEnv = {}): Issuer {
    this.requireOpen();
    const number = this.issuers.length;
    const { store, ...rest } = setting;
    const job: IssuerJob = {
      layout: LAYOUT,
      holders: 1,
      idsPerRound: 80,
      roundMs: 20,
      clockOffsetMs: 0,
      logsCalls: false,
      losesReleases: false,
      defect: this.defect,
      ...this.setting,
      ...rest,
      store: { namespace: NAMESPACE, ...this.setting.store, ...store },
      lease: {
        ...SHORT,
        possibleLoss: number === 0 ? 'ignore' : 'wait',
        ...this.setting.lease,
        ...rest.lease,
      },
      file: this.file(`issuer-${number}`),
      bootedAtMs: this.bootedAtMs,
    };
    const issuer = new Issuer(`issuer ${number}`, job, env);
    this.issuers.push(issuer);
    this.defer(() => issuer.kill());
    return issuer;
  }

  /** Starts so many processes and waits until they issue. */
  async start(count: number, setting: Setting = {}, env: NodeJS.ProcessEnv = {}): Promise<Issuer[]> {
    const started: Issuer[] = [];
    while (started.length < count) {
      const isFirst = this.issuers.length === 0;
      const issuer = this.spawn(setting, env);
      started.push(issuer);
      if (isFirst) await issuer.untilLogged('issuing');
    }
    await Promise.all(started.map((issuer) => issuer.untilLogged('issuing')));
    return started;
  }

  /** Starts one process and waits until it issues. */
  async startOne(setting: Setting = {}, env: NodeJS.ProcessEnv = {}): Promise<Issuer> {
    return (await this.start(1, setting, env))[0]!;
  }

  /** Every process that lives must issue, and then ends in good order. */
  async finish(): Promise<void> {
    const living = this.issuers.filter(({ endedAtMs }) => endedAtMs === undefined);
    await Promise.all(living.map((issuer) => issuer.untilIssuing()));
    for (const end of await Promise.all(living.map((issuer) => issuer.leave()))) {
      if (end.code !== 0) throw new Error(`An issuer ended with ${end.code ?? end.signal}`);
    }
  }

  /** Ends all processes: what they have written is complete. */
  async killAll(): Promise<void> {
    await Promise.all(this.issuers.map((issuer) => issuer.kill()));
  }

  async close(): Promise<void> {
    this.isClosed = true;
    for (const close of this.closing.splice(0).reverse()) await close();
    removeDirectory(this.directory);
  }

  /** Runs `close` when the stage is closed, the latest first. */
  defer(close: () => unknown): void {
    this.closing.push(close);
  }

  /** A scenario that took too long may still be going on when its stage is closed. */
  private requireOpen(): void {
    if (this.isClosed) throw new Error('The scenario is over');
  }
}
