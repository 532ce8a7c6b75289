import { SnowflakeError, systemClock } from 'nestjs-snowflake/core';
import { asSentence } from 'nestjs-snowflake/internal/core/errors/as-sentence';
import { safeReason } from 'nestjs-snowflake/internal/core/errors/foreign-error';
import { type CallDeadline, StoreRejectedError, StoreUnavailableError } from 'nestjs-snowflake/store';
import { Redaction } from 'nestjs-snowflake/internal/core/errors/redaction';
import { unanswered } from 'nestjs-snowflake/internal/lease/store-caller';
import { TLS_FAULT, TLS_REMEDY } from 'nestjs-snowflake/internal/stores/tls-fault';
import { Overtaken } from '../key-value/key-value-port.js';
import { type ZooReply, type ZooRequest } from './messages.js';
import { NotZookeeper, ZookeeperLine } from './zookeeper-line.js';
import type { ZookeeperSettings } from './zookeeper-options.js';

/** The connection that all steps of an attempt keep to. The first step chooses it. */
export interface Pin {
  line?: ZookeeperLine;
}

interface OpenLine {
  readonly line: ZookeeperLine;
  /** Rejects if the server may not serve. */
  readonly checked: Promise<void>;
}

const ASSUME =
  'Set assumeNoLostWrites: true only if no server is ever started with older data, and no member of an ensemble alone.';

/** Calls one server of an ensemble at a time. It repeats nothing. */
export class ZookeeperClient {
  readonly #settings: ZookeeperSettings;
  /** Private like the settings: its socket holds the key of the client. */
  #open: OpenLine | undefined;
  private position = 0;

  constructor(
    readonly description: string,
    settings: ZookeeperSettings,
  ) {
    this.#settings = settings;
  }

  /** Sends the next calls to the next server. */
  reconnect(): void {
    this.leave(this.#open?.line, new Error('the store connects again'));
  }

  /** Ends the connection. */
  close(): void {
    this.#open?.line.close();
    this.#open = undefined;
  }

  /**
   * Sends requests in one piece, and resolves to their replies.
   *
   * @throws Overtaken, with nothing sent, if the connection of the pin has gone
   * @throws StoreUnavailableError if no answer comes. The connection has ended then, so that nothing happens later on it
   * @throws StoreRejectedError if the server may not serve
   */
  async exchange(requests: readonly ZooRequest[], deadline: CallDeadline, pin: Pin): Promise<ZooReply[]> {
    const leftMs = deadline.remainingMs();
    // A call that was suspended must not write what it has read long ago.
    if (leftMs <= 0) throw unanswered(this, deadline);
    if (pin.line && (pin.line !== this.#open?.line || !pin.line.isOpen)) throw new Overtaken();
    if (!this.#open?.line.isOpen) this.#open = this.newLine();
    const { checked, line } = this.#open;
    pin.line = line;
    const late = unanswered(this, deadline);
    const alarm = systemClock.schedule(leftMs, () => line.end(late));
    try {
      await checked;
      return await line.exchange(requests);
    } catch (error) {
      this.leave(line, error as Error);
      throw this.asStoreError(error);
    } finally {
      alarm.cancel();
    }
  }

  /** Of calls that fail together on one connection, only the first goes on to the next server. */
  private leave(line: ZookeeperLine | undefined, reason: Error): void {
    line?.end(reason);
    if (this.#open?.line !== line) return;
    this.#open = undefined;
    this.position = (this.position + 1) % this.#settings.addresses.length;
  }

  private newLine(): OpenLine {
    const { addresses, tls, user } = this.#settings;
    const address = addresses[this.position];
    if (!address) throw new RangeError(`no address ${this.position}`);
    const line = new ZookeeperLine({ address, tls, user });
    return { line, checked: this.checkMode(line) };
  }

  private async checkMode(line: ZookeeperLine): Promise<void> {
    await line.ready;
    if (this.#settings.assumeNoLostWrites) return;
    const mode = await line.mode();
    if (mode === 'standalone') throw this.refusesStandalone();
    if (mode !== undefined || !line.isOpen) return;
    throw new StoreRejectedError(
      `${this.description}: a server does not answer srvr, so it may be standalone, where lost writes can't be detected. ` +
        `Allow srvr in its 4lw.commands.whitelist, as it is by default. ${ASSUME}`,
    );
  }

  /** Makes the error for a server without an ensemble. */
  refusesStandalone(): StoreRejectedError {
    return new StoreRejectedError(
      `${this.description}: a server is standalone. If it is started with older data, the store can't detect that, and IDs repeat. ` +
        `Use an ensemble of three or more servers. ${ASSUME}`,
    );
  }

  private asStoreError(error: unknown): Error {
    if (error instanceof SnowflakeError || error instanceof Overtaken) return error;
    const { user } = this.#settings;
    const reason = new Redaction(user ? [user.password] : []).clean(safeReason(error));
    if (error instanceof NotZookeeper) {
      return new StoreRejectedError(
        `${this.description} can't read the reply of a server: ${reason}. Check that this is the port for clients of ZooKeeper. Set the option tls only if this port uses TLS.`,
      );
    }
    if (TLS_FAULT.test(reason)) {
      return new StoreRejectedError(
        `${this.description} can't be reached: ${asSentence(reason)} ${TLS_REMEDY}`,
        error,
      );
    }
    return new StoreUnavailableError(`${this.description} is unavailable: ${reason}`, error);
  }
}
