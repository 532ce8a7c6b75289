import { systemClock } from 'nestjs-snowflake/core';
import { settledWithin } from 'nestjs-snowflake/internal/kit/call-deadline';
import {
  type ConnectionMaker,
  connectionProfile,
} from 'nestjs-snowflake/internal/stores/redis/connection-profile';
import { inDatabase } from 'nestjs-snowflake/internal/stores/redis/database';
import { registryKey } from 'nestjs-snowflake/internal/stores/redis/registry-key';
import type { RedisLeaseStoreOptions } from 'nestjs-snowflake/redis';

/** A connection of the doctor to Redis, with the same settings as the connection of a store. */
export class RedisProbe {
  readonly #client: ReturnType<ConnectionMaker>;
  #connectionError?: Error;
  readonly #database: number;
  readonly #key: string;

  constructor(
    options: RedisLeaseStoreOptions,
    private readonly timeoutMs: number,
  ) {
    const { database, connect } = connectionProfile(options);
    this.#database = database;
    this.#key = registryKey(options.namespace);
    this.#client = connect(timeoutMs);
    this.#client.on('error', (error: Error) => (this.#connectionError = error));
    this.#client.on('ready', () => (this.#connectionError = undefined));
    this.#client.connect().catch(() => undefined);
  }

  get isCluster(): boolean {
    return this.#client.isCluster;
  }

  /** Sends a command without keys. @throws the error of Redis, or of the connection */
  call(command: string, ...args: readonly string[]): Promise<unknown> {
    return this.bounded(this.#client.call(command, ...args));
  }

  /** Runs a script on the server that has the registry. @throws the error of Redis, or of the connection */
  async evaluate(script: string, ...args: readonly string[]): Promise<unknown> {
    return this.bounded(this.#client.eval(inDatabase(script, this.#database), 1, this.#key, ...args));
  }

  /** Runs an unknown script by its hash, which tests the right to run EVALSHA. @throws the error of Redis, or of the connection */
  async evaluateUnknown(): Promise<unknown> {
    return this.bounded(this.#client.evalsha('0'.repeat(40), 1, this.#key));
  }

  close(): void {
    this.#client.disconnect();
  }

  private async bounded<Reply>(call: Promise<Reply>): Promise<Reply> {
    const { timeoutMs } = this;
    try {
      return await settledWithin(
        systemClock,
        timeoutMs,
        call,
        () => new Error(`no answer within ${timeoutMs} ms`),
      );
    } catch (error) {
      throw this.#connectionError ?? error;
    }
  }
}
