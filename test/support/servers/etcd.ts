import { execFile } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { waitFor } from '../wait.js';
import { requireBinary } from './binaries.js';
import { freePort } from './ports.js';
import { makeDirectory, removeDirectory, ServerProcess } from './server-process.js';

const COMMAND_WITHIN_MS = 30_000;
const ANSWER_WITHIN_MS = 2000;
const UP_WITHIN_MS = 30_000;
const START_TRIES = 3;
const CLUSTER_TOKEN = 'tests';
/** A linearizable read of a key: it needs a leader that the others follow. */
const READ = JSON.stringify({ key: Buffer.from('up').toString('base64') });

export interface EtcdOptions {
  /** @defaultValue 1 */
  readonly members?: 1 | 3;
  /** More arguments of etcd. */
  readonly args?: readonly string[];
  /** What must be presented to connect, if the members serve TLS. */
  readonly tls?: { readonly caFile: string; readonly certificateFile: string; readonly keyFile: string };
}

/** One member of a private etcd. */
export interface EtcdMember {
  readonly name: string;
  readonly url: string;
  readonly peerUrl: string;
  readonly dataDirectory: string;
  readonly pid: number;
  /** Ends the process without waiting for anything, as a failure of the machine does. Its files stay. */
  kill(): Promise<void>;
  /** Starts it again, after a kill. Resolves when the process runs; the member may still wait for the others. @param args more arguments, e.g. `--force-new-cluster` */
  start(...args: readonly string[]): Promise<void>;
  /** SIGSTOP: connections stay open, nothing answers. */
  pause(): Promise<void>;
  /** SIGCONT. */
  resume(): void;
}

/** A private etcd on 127.0.0.1. */
export interface EtcdServer {
  readonly url: string;
  readonly urls: readonly string[];
  readonly members: readonly EtcdMember[];
  /** Runs `etcdctl`, on all members unless the arguments name some. Resolves to what it printed. */
  control(...args: readonly string[]): Promise<string>;
  /** Resolves to the member that leads. */
  leader(): Promise<EtcdMember>;
  /** Waits until a linearizable read at this member, or at the first one, is answered. */
  untilUp(member?: EtcdMember): Promise<void>;
  /** Stops all members, puts this snapshot in the place of their data with the flags of the cluster, and starts them. */
  restore(snapshotFile: string): Promise<void>;
  /** Ends all members and removes their files. */
  stop(): Promise<void>;
}

/** Starts a private etcd, and waits until it answers. */
export async function startEtcd(options: EtcdOptions = {}): Promise<EtcdServer> {
  requireBinary('etcd');
  requireBinary('etcdctl');
  for (let attempt = 1; ; attempt += 1) {
    const cluster = await PrivateCluster.make(options);
    try {
      await cluster.start();
      return cluster;
    } catch (error) {
      await cluster.stop();
      // Somebody may have taken a port since it was free.
      if (attempt >= START_TRIES) throw error;
    }
  }
}

class PrivateMember implements EtcdMember {
  process: ServerProcess | undefined;

  constructor(
    readonly name: string,
    readonly url: string,
    readonly peerUrl: string,
    private readonly directory: string,
    private readonly args: () => readonly string[],
  ) {}

  get dataDirectory(): string {
    return join(this.directory, this.name);
  }

  get pid(): number {
    if (!this.process) throw new Error(`${this.name} doesn't run`);
    return this.process.pid;
  }

  async kill(): Promise<void> {
    await this.process?.end('SIGKILL');
    this.process = undefined;
  }

  async start(...args: readonly string[]): Promise<void> {
    this.process = await ServerProcess.start(this.directory, {
      binary: requireBinary('etcd'),
      args: [...this.args(), ...args],
      account: {},
      emergencySignal: 'SIGKILL',
      // A member of three answers once another one runs, too.
      isUp: async () => existsSync(this.dataDirectory),
    });
  }

  async pause(): Promise<void> {
    await this.process?.pause();
  }

  resume(): void {
    this.process?.resume();
  }
}

class PrivateCluster implements EtcdServer {
  private constructor(
    readonly members: readonly PrivateMember[],
    private readonly directory: string,
    private readonly tls: EtcdOptions['tls'],
  ) {}

  static async make({ members: count = 1, args = [], tls }: EtcdOptions): Promise<PrivateCluster> {
    const directory = makeDirectory('etcd');
    const members: PrivateMember[] = [];
    const scheme = tls ? 'https' : 'http';
    for (let index = 1; index <= count; index += 1) {
      const [client, peer] = [await freePort(), await freePort()];
      const host = tls ? 'localhost' : '127.0.0.1';
      const member: PrivateMember = new PrivateMember(
        `m${index}`,
        `${scheme}://${host}:${client}`,
        `http://127.0.0.1:${peer}`,
        directory,
        () => [...memberArguments(member, members, `${scheme}://127.0.0.1:${client}`), ...args],
      );
      members.push(member);
    }
    return new PrivateCluster(members, directory, tls);
  }

  get url(): string {
    return this.members[0]?.url ?? '';
  }

  get urls(): readonly string[] {
    return this.members.map(({ url }) => url);
  }

  async start(): Promise<void> {
    await Promise.all(this.members.map((member) => member.start()));
    await this.untilUp();
  }

  async control(...args: readonly string[]): Promise<string> {
    const tls = this.tls
      ? ['--cacert', this.tls.caFile, '--cert', this.tls.certificateFile, '--key', this.tls.keyFile]
      : [];
    const endpoints = args.includes('--endpoints') ? [] : ['--endpoints', this.urls.join(',')];
    const { stdout } = await promisify(execFile)(requireBinary('etcdctl'), [...endpoints, ...tls, ...args], {
      env: { ...process.env, ETCDCTL_API: '3' },
      timeout: COMMAND_WITHIN_MS,
      cwd: this.directory,
    });
    return stdout;
  }

  async leader(): Promise<EtcdMember> {
    return waitFor('a leader', UP_WITHIN_MS, async () => {
      for (const member of this.members) {
        const status = await asked(member.url, 'maintenance/status', '{}');
        if (status?.leader !== undefined && status.leader === status.header?.member_id) return member;
      }
      return undefined;
    });
  }

  async untilUp(member: EtcdMember | undefined = this.members[0]): Promise<void> {
    await waitFor(`${member?.name} to answer`, UP_WITHIN_MS, async () => {
      const isRunning = this.members.every(({ process: each }) => each === undefined || each.running);
      if (!isRunning) throw new Error('A member ended');
      if (!this.tls) return (await asked(member?.url ?? '', 'kv/range', READ)) !== undefined;
      return this.control('get', 'up').then(
        () => true,
        () => false,
      );
    });
  }

  async restore(snapshotFile: string): Promise<void> {
    await Promise.all(this.members.map((member) => member.kill()));
    for (const { name, peerUrl, dataDirectory } of this.members) {
      removeDirectory(dataDirectory);
      const flags = ['--name', name, '--data-dir', dataDirectory, '--initial-advertise-peer-urls', peerUrl];
      const cluster = [
        '--initial-cluster',
        initialCluster(this.members),
        '--initial-cluster-token',
        CLUSTER_TOKEN,
      ];
      await this.control('snapshot', 'restore', snapshotFile, ...flags, ...cluster);
    }
    await this.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.map((member) => member.kill()));
    removeDirectory(this.directory);
  }
}

/** Copies the files of a member that doesn't run. */
export function copyData({ dataDirectory }: EtcdMember, to: string): void {
  cpSync(dataDirectory, to, { recursive: true });
}

function initialCluster(members: readonly EtcdMember[]): string {
  return members.map(({ name, peerUrl }) => `${name}=${peerUrl}`).join(',');
}

function memberArguments(
  { name, url, peerUrl, dataDirectory }: EtcdMember,
  members: readonly EtcdMember[],
  listenUrl: string,
): readonly string[] {
  const flags = {
    name,
    'data-dir': dataDirectory,
    'listen-client-urls': listenUrl,
    'advertise-client-urls': url,
    'listen-peer-urls': peerUrl,
    'initial-advertise-peer-urls': peerUrl,
    'initial-cluster': initialCluster(members),
    'initial-cluster-token': CLUSTER_TOKEN,
    'initial-cluster-state': 'new',
  };
  return Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, value]);
}

interface Answer {
  readonly leader?: string;
  readonly header?: { readonly member_id?: string };
}

async function asked(url: string, path: string, body: string): Promise<Answer | undefined> {
  try {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const response = await fetch(`${url}/v3/${path}`, { method: 'POST', body, signal });
    // With access control, a refusal shows that it serves.
    return response.ok || response.status === 400 ? ((await response.json()) as Answer) : undefined;
  } catch {
    return undefined;
  }
}
