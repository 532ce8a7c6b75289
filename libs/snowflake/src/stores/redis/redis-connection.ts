import type { Redis } from 'ioredis';
import type { Clock } from '../../core/clock/clock.js';
import { SnowflakeError } from '../../core/errors/snowflake-error.js';
import { StoreRejectedError, StoreUnavailableError } from '../../core/errors/lease-errors.js';
import { DEFAULT_CALL_TIMEOUT_MS, deadlineIn, settledWithin } from '../../kit/call-deadline.js';
import type { CallDeadline } from '../../lease/lease-store.js';
import { KeepAlive } from '../../kit/keep-alive.js';
import type { ConnectionMaker, ConnectionProfile } from './connection-profile.js';
import { inDatabase } from './database.js';
import { type StoreIdentity, toRedisStoreError } from './redis-errors.js';
import { backfillScript } from './backfill-script.js';
import { inspectScript } from './inspect-script.js';
import { leaseScript } from './lease-script.js';
import { proveScript } from './prove-script.js';
import { releaseScript } from './release-script.js';
import { TlsMismatch } from './tls-mismatch.js';

/** The Lua texts of a store. */
export interface ScriptTexts {
  readonly lease: string;
  readonly prove: string;
  readonly release: string;
  readonly inspect: string;
  readonly backfill: string;
}

/** What a Redis store relies on: its scripts. A control replaces one by a script without one of its clauses. */
export const REDIS_MECHANISMS: ScriptTexts = {
  lease: leaseScript(),
  prove: proveScript(),
  release: releaseScript(),
  inspect: inspectScript(),
  backfill: backfillScript(),
};

type Client = ReturnType<ConnectionMaker>;
type ScriptCall = (key: string, ...args: string[]) => Promise<string[]>;
type Scripts = Readonly<Record<keyof ScriptTexts, ScriptCall>>;

/** A connection, and the scripts that it can run. */
interface ScriptedClient {
  readonly client: Client;
  readonly scripts: Scripts;
}

const NAMES: Readonly<Record<keyof ScriptTexts, string>> = {
  lease: 'snowflakeLease',
  prove: 'snowflakeProve',
  release: 'snowflakeRelease',
  inspect: 'snowflakeInspect',
  backfill: 'snowflakeBackfill',
};
const QUIT_WITHIN_MS = 200;

/** The store's own connection to Redis. Runs the scripts and bounds every call. */
export class RedisConnection {
  /** Private, as is the error of ioredis, so that printing the store does not show the password. */
  #current?: ScriptedClient;
  #connectionError?: Error;
  private callTimeoutMs = DEFAULT_CALL_TIMEOUT_MS;
  private isClosed = false;
  private hasConnected = false;
  private readonly keepAlive = new KeepAlive();
  private readonly mismatch = new TlsMismatch();

  /** @param store the name of the store in errors */
  constructor(
    private readonly store: StoreIdentity,
    private readonly profile: ConnectionProfile,
    private readonly texts: ScriptTexts,
    private readonly clock: Clock,
  ) {}

  /** Starts to connect and doesn't wait for the connection. */
  open(callTimeoutMs: number): void {
    this.callTimeoutMs = callTimeoutMs;
    this.isClosed = false;
    this.keepAlive.begin();
    this.mismatch.forget();
    this.reconnect();
  }

  /**
   * Runs a script. Settles by the deadline, which includes the time to connect. A call that timed out may still run later.
   */
  async runScript(
    name: keyof ScriptTexts,
    key: string,
    args: readonly string[],
    deadline: CallDeadline = this.deadline(),
  ): Promise<readonly string[]> {
    if (this.isClosed)
      throw new StoreUnavailableError(`${this.store.description} is closed: its ID maker has stopped.`);
    if (this.mismatch.problem !== undefined) {
      throw new StoreRejectedError(`${this.store.description} can't be reached: ${this.mismatch.problem}`);
    }
    try {
      return await this.bounded(this.usable().scripts[name](key, ...args), deadline);
    } catch (error) {
      if (error instanceof SnowflakeError) throw error;
      if (!this.hasConnected && this.#current) this.mismatch.examine(this.#current.client);
      throw toRedisStoreError(this.store, error, this.#connectionError, this.profile.credentials());
    }
  }

  /**
   * Returns a setting of the server, or `undefined` if it shows none: few users may run CONFIG. Scripts can't run it. A Cluster asks
   * one of its nodes.
   */
  async setting(name: string, deadline: CallDeadline): Promise<string | undefined> {
    if (this.isClosed || this.mismatch.problem !== undefined) return undefined;
    try {
      const shown: unknown = await this.bounded(this.usable().client.config('GET', name), deadline);
      // A client of the app may map replies of RESP3 to objects.
      const value: unknown = Array.isArray(shown) ? shown[1] : Reflect.get(Object(shown) as object, name);
      return typeof value === 'string' ? value : undefined;
    } catch {
      // If the server is unreachable, the script that follows fails and reports the reason.
      return undefined;
    }
  }

  /** Returns the default deadline, for a call without one. */
  deadline(timeoutMs = this.callTimeoutMs): CallDeadline {
    return deadlineIn(this.clock, timeoutMs);
  }

  /** Replaces the connection, whatever its state, so that DNS and the Sentinels are asked again. */
  reconnect(): void {
    if (this.isClosed) return;
    try {
      this.replace();
    } catch {
      // The next call tries again and reports the reason.
    }
  }

  /** Closes the connection within about 200 ms, even if the server hangs. */
  async close(): Promise<void> {
    this.isClosed = true;
    const client = this.#current?.client;
    if (client && !hasEnded(client)) {
      await this.bounded(client.quit(), this.deadline(QUIT_WITHIN_MS)).catch(() => undefined);
      if (!hasEnded(client)) client.disconnect();
    }
    this.keepAlive.end();
  }

  /** Replaces a connection that has ended, e.g. after a failed TLS handshake: it would refuse every later call. */
  private usable(): ScriptedClient {
    return this.#current && !hasEnded(this.#current.client) ? this.#current : this.replace();
  }

  private replace(): ScriptedClient {
    const old = this.#current?.client;
    const client = this.profile.connect(this.callTimeoutMs);
    const current = { client, scripts: defineScripts(client, this.texts, this.profile.database) };
    this.#current = current;
    this.#connectionError = undefined;
    client.on('error', (error: Error) => {
      if (this.#current === current) this.#connectionError = error;
    });
    client.on('connect', () => {
      // The sockets of a Cluster can't be reached, so an open one keeps the process alive.
      if (!client.isCluster) (client as Redis).stream.unref();
    });
    client.on('ready', () => {
      this.hasConnected = true;
      if (this.#current === current) this.#connectionError = undefined;
    });
    // The calls that wait for the connection report the failure, and the client keeps trying.
    client.connect().catch(() => undefined);
    if (old && !hasEnded(old)) old.disconnect();
    return current;
  }

  /** Bounds the wait for a connection too: ioredis bounds a command only once it can send it. */
  private bounded<T>(call: Promise<T>, deadline: CallDeadline): Promise<T> {
    const expired = (): Error => new Error(`no answer within ${deadline.timeoutMs} ms`);
    return settledWithin(this.clock, deadline.remainingMs(), call, expired);
  }
}

function hasEnded(client: Client): boolean {
  return client.status === 'end';
}

/** Adds types for the methods that `defineCommand` adds at run time. */
function defineScripts(client: Client, texts: ScriptTexts, database: number): Scripts {
  const methods = client as unknown as Readonly<Record<string, ScriptCall>>;
  const define = (name: keyof ScriptTexts): ScriptCall => {
    client.defineCommand(NAMES[name], { numberOfKeys: 1, lua: inDatabase(texts[name], database) });
    const method = methods[NAMES[name]];
    if (!method) throw new Error(`${NAMES[name]} could not be defined on the Redis client`);
    return method.bind(client);
  };
  return {
    lease: define('lease'),
    prove: define('prove'),
    release: define('release'),
    inspect: define('inspect'),
    backfill: define('backfill'),
  };
}
