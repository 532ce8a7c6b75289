import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { connectMessage } from '../../../libs/snowflake-coordination/src/zookeeper/messages.js';
import { waitFor } from '../wait.js';
import { requireBinary, requireFaketime, requireZookeeperJars } from './binaries.js';
import { freePort } from './ports.js';
import { makeDirectory, removeDirectory, ServerProcess } from './server-process.js';

const UP_WITHIN_MS = 60_000;
const ANSWER_WITHIN_MS = 2000;
const START_TRIES = 3;
const WRITE_EVERY_MS = 500;
/** Two ticks, the shortest one. */
const SESSION_MS = 1000;
/** Short ticks have an ensemble notice sooner that a server is gone. */
const BASE_SETTINGS = {
  tickTime: '500',
  initLimit: '20',
  syncLimit: '10',
  'admin.enableServer': 'false',
  maxClientCnxns: '0',
};
const JAVA = ['-Xms16m', '-Xmx64m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xss256k'];

export interface ZookeeperOptions {
  /** 1 is a standalone server. @defaultValue 3 */
  readonly members?: 1 | 3;
  /** More lines of the configuration file. */
  readonly settings?: Readonly<Record<string, string>>;
  /** How far the clock of all members is ahead of that of the computer, in seconds. @defaultValue 0 */
  readonly clockOffsetSeconds?: number;
  /** Serves TLS on the port, instead of plain text. */
  readonly secure?: boolean;
}

/** One server of a private ZooKeeper. */
export interface ZookeeperMember {
  readonly name: string;
  /** `host:port` */
  readonly address: string;
  readonly dataDirectory: string;
  readonly pid: number;
  /** Ends the process without waiting for anything, as a failure of the machine does. Its files stay. */
  kill(): Promise<void>;
  /** Starts it again, after a kill. Resolves when the process runs; the server may still wait for the others. */
  start(): Promise<void>;
  /** Starts it again as a standalone server on the data that it has. */
  startAlone(): Promise<void>;
  /** SIGSTOP: connections stay open, nothing answers. */
  pause(): Promise<void>;
  /** SIGCONT. */
  resume(): void;
}

/** A private ZooKeeper on 127.0.0.1. */
export interface ZookeeperServer {
  /** The addresses of all members, with commas. */
  readonly connectString: string;
  readonly members: readonly ZookeeperMember[];
  /** Resolves to the member that leads. */
  leader(): Promise<ZookeeperMember>;
  /** Waits until these members serve; without any, until all that run do. */
  untilUp(...members: readonly ZookeeperMember[]): Promise<void>;
  /** Ends all members and removes their files. */
  stop(): Promise<void>;
}

/** Starts a private ensemble of three, or a standalone server, and waits until all members serve. */
export async function startZookeeper(options: ZookeeperOptions = {}): Promise<ZookeeperServer> {
  requireBinary('java');
  requireZookeeperJars();
  for (let attempt = 1; ; attempt += 1) {
    const ensemble = await PrivateEnsemble.make(options);
    try {
      await Promise.all(ensemble.members.map((member) => member.start()));
      await ensemble.untilUp();
      ensemble.keepWriting();
      return ensemble;
    } catch (error) {
      await ensemble.stop();
      // Somebody may have taken a port since it was free.
      if (attempt >= START_TRIES) throw error;
    }
  }
}

interface Ports {
  readonly client: number;
  readonly peer: number;
  readonly election: number;
}

class PrivateMember implements ZookeeperMember {
  process: ServerProcess | undefined;

  constructor(
    readonly name: string,
    readonly ports: Ports,
    private readonly directory: string,
    private readonly options: ZookeeperOptions,
    /** The lines that name all members; none for a standalone server. */
    private readonly ensemble: () => readonly string[],
  ) {
    mkdirSync(this.dataDirectory);
    writeFileSync(join(this.dataDirectory, 'myid'), name);
  }

  get address(): string {
    return `127.0.0.1:${this.ports.client}`;
  }

  get dataDirectory(): string {
    return join(this.directory, `data-${this.name}`);
  }

  get pid(): number {
    if (!this.process) throw new Error(`member ${this.name} doesn't run`);
    return this.process.pid;
  }

  get isRunning(): boolean {
    return this.process?.running === true;
  }

  async kill(): Promise<void> {
    await this.process?.end('SIGKILL');
    this.process = undefined;
  }

  start(): Promise<void> {
    return this.startWith(this.ensemble());
  }

  startAlone(): Promise<void> {
    return this.startWith([]);
  }

  async pause(): Promise<void> {
    await this.process?.pause();
  }

  resume(): void {
    this.process?.resume();
  }

  private async startWith(servers: readonly string[]): Promise<void> {
    const { clockOffsetSeconds = 0, secure = false, settings = {} } = this.options;
    const [port, host] = secure
      ? ['secureClientPort', 'secureClientPortAddress']
      : ['clientPort', 'clientPortAddress'];
    const lines = {
      ...BASE_SETTINGS,
      dataDir: this.dataDirectory,
      [port]: String(this.ports.client),
      [host]: '127.0.0.1',
      ...settings,
    };
    const file = join(this.directory, `${this.name}.cfg`);
    writeFileSync(
      file,
      [...Object.entries(lines).map((line) => line.join('=')), ...servers].join('\n').concat('\n'),
    );
    const main = 'org.apache.zookeeper.server.quorum.QuorumPeerMain';
    this.process = await ServerProcess.start(this.directory, {
      binary: requireBinary('env'),
      args: [
        ...clockVariables(clockOffsetSeconds),
        requireBinary('java'),
        ...JAVA,
        '-cp',
        requireZookeeperJars(),
        main,
        file,
      ],
      account: {},
      emergencySignal: 'SIGKILL',
      // A member of three answers once another one runs, too.
      isUp: async () => existsSync(file),
    });
  }
}

class PrivateEnsemble implements ZookeeperServer {
  private writing: NodeJS.Timeout | undefined;

  private constructor(
    readonly members: readonly PrivateMember[],
    private readonly directory: string,
    private readonly isSecure: boolean,
  ) {}

  static async make(options: ZookeeperOptions): Promise<PrivateEnsemble> {
    const { members: count = 3, secure = false } = options;
    const directory = makeDirectory('zookeeper');
    const members: PrivateMember[] = [];
    const lines = (): string[] =>
      count === 1
        ? []
        : members.map(({ name, ports }) => `server.${name}=127.0.0.1:${ports.peer}:${ports.election}`);
    for (let index = 1; index <= count; index += 1) {
      const ports = { client: await freePort(), peer: await freePort(), election: await freePort() };
      members.push(new PrivateMember(String(index), ports, directory, options, lines));
    }
    return new PrivateEnsemble(members, directory, secure);
  }

  get connectString(): string {
    return this.members.map(({ address }) => address).join(',');
  }

  async leader(): Promise<ZookeeperMember> {
    return waitFor('a leader', UP_WITHIN_MS, async () => {
      for (const member of this.members) if ((await modeOf(member.ports.client)) === 'leader') return member;
      return undefined;
    });
  }

  async untilUp(...members: readonly ZookeeperMember[]): Promise<void> {
    const named = this.members.filter((member) => members.includes(member));
    const all = named.length > 0 ? named : this.members.filter(({ process }) => process !== undefined);
    await Promise.all(
      all.map((member) =>
        waitFor(`member ${member.name} to serve`, UP_WITHIN_MS, async () => {
          if (!member.isRunning) throw new Error('A member ended');
          return this.isSecure
            ? listens(member.ports.client)
            : (await modeOf(member.ports.client)) !== undefined;
        }),
      ),
    );
  }

  /**
   * Begins a short session on one member after the other, which is a write. Until 3.7.2 and 3.8.1, a server may answer a lone client only
   * when somebody else writes (ZOOKEEPER-4537), and Debian 12 has 3.8.0.
   */
  keepWriting(): void {
    if (this.isSecure) return;
    let turn = 0;
    this.writing = setInterval(() => {
      const { ports } = this.members[(turn += 1) % this.members.length]!;
      void askedFor(ports.client, connectMessage(SESSION_MS));
    }, WRITE_EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.writing);
    await Promise.all(this.members.map((member) => member.kill()));
    removeDirectory(this.directory);
  }
}

/** Java waits by the monotonic clock, which stays. */
function clockVariables(offsetSeconds: number): readonly string[] {
  if (offsetSeconds === 0) return [];
  return [
    `LD_PRELOAD=${requireFaketime()}`,
    `FAKETIME=${offsetSeconds > 0 ? '+' : ''}${offsetSeconds}`,
    'DONT_FAKE_MONOTONIC=1',
  ];
}

/** Returns the mode of a server that serves; `undefined` for another one. */
async function modeOf(port: number): Promise<string | undefined> {
  return /^Mode: (\S+)$/m.exec(await askedFor(port, 'srvr'))?.[1];
}

async function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

/** Resolves to what a server answers to one of its commands, or to nothing. */
function askedFor(port: number, command: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(command));
    let said = '';
    socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy());
    socket.on('data', (bytes: Buffer) => (said += bytes.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(said));
  });
}
