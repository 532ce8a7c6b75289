import { connect } from 'node:net';
import { requireBinary } from './binaries.js';
import { onFreePort } from './ports.js';
import { makeDirectory, removeDirectory, ServerProcess } from './server-process.js';

const PING_WITHIN_MS = 500;

const PERSISTENCE = {
  none: ['--save', '', '--appendonly', 'no'],
  aof: ['--save', '', '--appendonly', 'yes', '--appendfsync', 'everysec'],
  rdb: ['--save', '3600 1', '--appendonly', 'no'],
} as const;

export interface RedisOptions {
  /** More arguments of redis-server, e.g. `['--maxmemory', '8mb']`. They win over those of the harness. */
  readonly args?: readonly string[];
  /** What survives a restart. Default `none`. */
  readonly persistence?: keyof typeof PERSISTENCE;
  /** @defaultValue a free port */
  readonly port?: number;
}

/** A private redis-server on 127.0.0.1. */
export interface RedisServer {
  readonly port: number;
  readonly url: string;
  /** Of the present run: another one after {@link restart}. */
  readonly pid: number;
  readonly dir: string;
  /** Ends the server for good and removes its directory. Harmless when it has ended. */
  stop(): Promise<void>;
  /** Sends `signal` (default SIGKILL) and waits for the end. {@link restart} brings it back. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again on the same port and directory; ends it first, in good order, if it runs. */
  restart(): Promise<void>;
  /** SIGSTOP: connections stay open, nothing answers. */
  pause(): void;
  /** SIGCONT. */
  resume(): void;
}

/** Starts a private redis-server and waits until it answers. */
export async function startRedis(options: RedisOptions = {}): Promise<RedisServer> {
  requireBinary('redis-server');
  const dir = makeDirectory('redis');
  const start = async (port: number): Promise<RedisServer> =>
    new PrivateRedis(port, dir, options, await run(port, dir, options));
  try {
    return await (options.port === undefined ? onFreePort(start) : start(options.port));
  } catch (error) {
    removeDirectory(dir);
    throw error;
  }
}

class PrivateRedis implements RedisServer {
  private stopped = false;

  constructor(
    readonly port: number,
    readonly dir: string,
    private readonly options: RedisOptions,
    private process: ServerProcess,
  ) {}

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.process.pid;
  }

  async stop(): Promise<void> {
    if (this.stopped) return;
    this.stopped = true;
    await this.process.end('SIGTERM');
    removeDirectory(this.dir);
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    await this.process.end(signal);
  }

  async restart(): Promise<void> {
    if (this.stopped) throw new Error('This Redis was stopped for good; use kill() before restart()');
    await this.process.end('SIGTERM');
    this.process = await run(this.port, this.dir, this.options);
  }

  pause(): void {
    // The thread that gets the signal is the one that serves.
    this.process.signal('SIGSTOP');
  }

  resume(): void {
    this.process.resume();
  }
}

function run(port: number, dir: string, options: RedisOptions): Promise<ServerProcess> {
  const listen = ['--bind', '127.0.0.1', '--port', String(port), '--dir', dir, '--daemonize', 'no'];
  return ServerProcess.start(dir, {
    binary: requireBinary('redis-server'),
    args: [...listen, ...PERSISTENCE[options.persistence ?? 'none'], ...(options.args ?? [])],
    account: {},
    emergencySignal: 'SIGKILL',
    isUp: () => answersPing(port),
  });
}

/** Any answer but "I am loading" will do: a server with a password answers NOAUTH. */
function answersPing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: PING_WITHIN_MS }, () =>
      socket.write('PING\r\n'),
    );
    const finish = (isUp: boolean): void => {
      socket.destroy();
      resolve(isUp);
    };
    socket.once('data', (reply) => finish(!reply.toString().startsWith('-LOADING')));
    socket.once('timeout', () => finish(false));
    socket.once('error', () => finish(false));
    socket.once('end', () => finish(false));
  });
}
