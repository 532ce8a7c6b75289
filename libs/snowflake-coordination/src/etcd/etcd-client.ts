import { SnowflakeError, systemClock } from 'nestjs-snowflake/core';
import { asSentence } from 'nestjs-snowflake/internal/core/errors/as-sentence';
import { safeReason } from 'nestjs-snowflake/internal/core/errors/foreign-error';
import { type CallDeadline, StoreRejectedError, StoreUnavailableError } from 'nestjs-snowflake/store';
import { Redaction } from 'nestjs-snowflake/internal/core/errors/redaction';
import { unanswered } from 'nestjs-snowflake/internal/lease/store-caller';
import { TLS_FAULT, TLS_REMEDY } from 'nestjs-snowflake/internal/stores/tls-fault';
import { Overtaken } from '../key-value/key-value-port.js';
import {
  type EtcdCaller,
  isServerError,
  needsNoUser,
  needsToken,
  type Refusal,
  toEtcdStoreError,
} from './etcd-errors.js';
import type { EtcdAddress, EtcdSettings, EtcdUser } from './etcd-options.js';
import { HttpLines, type HttpReply, type Pin } from './http-lines.js';

/** A result of etcd, and the clock of the member that sent it. */
export interface EtcdReply {
  readonly result: Readonly<Record<string, unknown>>;
  readonly date: string | undefined;
}

const OK = 200;

/** A refusal as an error, for the callers that know what to do about some. */
export class Refused extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.message);
  }
}

/** Calls etcd's JSON gateway, one member at a time. It repeats a call only to replace a token that the server has forgotten. */
export class EtcdClient {
  readonly #settings: EtcdSettings;
  #token: Promise<string | undefined> | undefined;
  /** Private like the others: its agents hold the key of the client. */
  #lines: HttpLines | undefined;
  private position = 0;

  constructor(
    readonly description: string,
    settings: EtcdSettings,
  ) {
    this.#settings = settings;
  }

  /** Sends the next calls to the next member. */
  useNextMember(): void {
    this.position = (this.position + 1) % this.#settings.addresses.length;
    this.#token = undefined;
  }

  /** Ends all connections, and the calls on them. */
  close(): void {
    this.#lines?.end();
    this.#lines = undefined;
  }

  /**
   * Calls a method and returns its result.
   *
   * @param pin the connection to use; without one, any
   * @throws Overtaken, with nothing sent, if that connection has gone
   * @throws StoreUnavailableError if no answer comes, or the member can't answer now
   * @throws Refused if the member refuses
   */
  async call(method: string, body: object, deadline: CallDeadline, pin?: Pin): Promise<EtcdReply> {
    const { position } = this;
    const leftMs = deadline.remainingMs();
    // A call that was suspended must not write what it has read long ago.
    if (leftMs <= 0) throw unanswered(this, deadline);
    const abort = new AbortController();
    const alarm = systemClock.schedule(leftMs, () => abort.abort());
    try {
      const reply = await this.withToken(
        (token) => this.send(method, body, abort.signal, { token, pin }),
        abort.signal,
      );
      return resultIn(reply);
    } catch (error) {
      if (!isFaultOfMember(error)) throw error;
      // Of calls that fail together at one member, only the first goes on from it.
      if (this.position === position) this.useNextMember();
      const gotNoAnswer = abort.signal.aborted && !(error instanceof Refused);
      throw gotNoAnswer ? unanswered(this, deadline) : error;
    } finally {
      alarm.cancel();
    }
  }

  /** Turns what a call has thrown into an error of this library. */
  asStoreError(error: unknown): Error {
    if (error instanceof SnowflakeError || error instanceof Overtaken) return error;
    const secrets = this.#settings.addresses.flatMap(({ user }) => (user ? [user.password] : []));
    if (error instanceof Refused) return toEtcdStoreError(error.refusal, this.caller(), secrets);
    const reason = new Redaction(secrets).clean(safeReason(error));
    if (TLS_FAULT.test(reason)) {
      return new StoreRejectedError(
        `${this.description} can't be reached: ${asSentence(reason)} ${TLS_REMEDY}`,
        error,
      );
    }
    return new StoreUnavailableError(`${this.description} is unavailable: ${reason}`, error);
  }

  /** Sends a request with the token, if there is a user. Gets another token once if the server refuses this one. */
  private async withToken(
    send: (token: string | undefined) => Promise<HttpReply>,
    signal: AbortSignal,
  ): Promise<HttpReply> {
    const { user } = this.address;
    if (!user) return send(undefined);
    const token = (this.#token ??= this.authenticate(user, signal));
    const reply = await send(await token);
    if (reply.status === OK || !needsToken(refusalIn(reply))) return reply;
    if (this.#token === token) this.#token = undefined;
    return send(await (this.#token ??= this.authenticate(user, signal)));
  }

  /** A token that could not be had is asked for again by the next call. */
  private authenticate({ name, password }: EtcdUser, signal: AbortSignal): Promise<string | undefined> {
    const forget = (error: unknown): never => {
      this.#token = undefined;
      throw error;
    };
    return this.send('auth/authenticate', { name, password }, signal).then(tokenIn).catch(forget);
  }

  private send(
    method: string,
    body: object,
    signal: AbortSignal,
    { token, pin }: { token?: string | undefined; pin?: Pin | undefined } = {},
  ): Promise<HttpReply> {
    const { origin } = this.address;
    this.#lines ??= new HttpLines(origin.startsWith('https:'), this.#settings.tls);
    const headers = {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: token }),
    };
    return this.#lines.send({
      url: `${origin}/v3/${method}`,
      headers,
      body: JSON.stringify(body),
      signal,
      pin,
    });
  }

  private caller(): EtcdCaller {
    return {
      description: this.description,
      namespace: this.#settings.namespace,
      userName: this.address.user?.name,
    };
  }

  private get address(): EtcdAddress {
    const address = this.#settings.addresses[this.position];
    if (!address) throw new RangeError(`no address ${this.position}`);
    return address;
  }
}

/** Returns whether another member may answer, because this one did not, or can't now. */
function isFaultOfMember(error: unknown): boolean {
  if (error instanceof Refused) return isServerError(error.refusal);
  return !(error instanceof Overtaken);
}

function tokenIn(reply: HttpReply): string | undefined {
  // Without a token, the request goes on as one of etcd's own clients does.
  if (reply.status !== OK && needsNoUser(refusalIn(reply))) return undefined;
  const { token } = resultIn(reply).result;
  return typeof token === 'string' ? token : undefined;
}

/** @throws Refused */
function resultIn(reply: HttpReply): EtcdReply {
  const result = jsonIn(reply.body);
  if (reply.status !== OK || !result) throw new Refused(refusalIn(reply));
  return { result, date: reply.date };
}

function refusalIn({ status, body }: HttpReply): Refusal {
  const { code, message, error } = jsonIn(body) ?? {};
  const said = [message, error, body].find((each) => typeof each === 'string');
  return { status, ...(typeof code === 'number' && { code }), message: String(said) };
}

function jsonIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
