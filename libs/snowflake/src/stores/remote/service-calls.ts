import type { Clock } from '../../core/clock/clock.js';
import { systemClock } from '../../core/clock/system-clock.js';
import { StoreRejectedError, StoreUnavailableError } from '../../core/errors/lease-errors.js';
import { asSentence } from '../../core/errors/as-sentence.js';
import { safeReason } from '../../core/errors/foreign-error.js';
import { Redaction } from '../../core/errors/redaction.js';
import { SnowflakeError } from '../../core/errors/snowflake-error.js';
import { AppFunctionError, askApp } from '../../kit/ask-app.js';
import { type CallDeadline, DEFAULT_CALL_TIMEOUT_MS, deadlineIn } from '../../kit/call-deadline.js';
import { KeepAlive } from '../../kit/keep-alive.js';
import { unanswered } from '../../lease/store-caller.js';
import { TLS_FAULT, TLS_REMEDY } from '../tls-fault.js';
import { isTokenText, type RemoteSettings } from './remote-options.js';

/** How long the caller waits, in milliseconds. */
const TIMEOUT_HEADER = 'snowflake-timeout-ms';
/** Reserved for the response, so that the service can still report why its store did not answer: this, or this share of a short call. */
const TRAVEL_MS = 100;
const TRAVEL_SHARE = 1 / 4;
/** Names the call. The response repeats it, so that a response to another call is not taken for this one's. */
const CALL_HEADER = 'snowflake-call';

/** Client errors that a retry can resolve: Request Timeout, Too Early, Too Many Requests. */
const RETRYABLE: ReadonlySet<number> = new Set([408, 425, 429]);

/** What calls need from outside: a clock, a network, and a new name for each call. */
export interface CallEnvironment {
  readonly clock: Pick<Clock, 'now' | 'schedule'>;
  fetch(url: string, request: RequestInit): Promise<ServiceResponse>;
  newCallName(): string;
}

/** As much of a `Response` as calls read. */
export interface ServiceResponse extends Pick<Response, 'ok' | 'status' | 'text'> {
  readonly headers: Pick<Headers, 'get'>;
}

export const realEnvironment: CallEnvironment = {
  clock: systemClock,
  fetch: (url, request) => fetch(url, request),
  newCallName: () => crypto.randomUUID(),
};

/** What a service states when it refuses a call. */
export interface Problem {
  readonly status: number;
  /** As the service has sent it. */
  readonly code: unknown;
}

/** Calls a service over HTTP with `fetch`, once per call: only the caller knows whether and how to repeat it. */
export class ServiceCalls {
  readonly #token: RemoteSettings['token'];
  private readonly inFlight = new Set<AbortController>();
  private readonly keepAlive = new KeepAlive();
  private position = 0;
  private callTimeoutMs = DEFAULT_CALL_TIMEOUT_MS;

  constructor(
    readonly description: string,
    private readonly addresses: readonly string[],
    token: RemoteSettings['token'],
    private readonly environment: CallEnvironment = realEnvironment,
  ) {
    this.#token = token;
  }

  open({ callTimeoutMs }: { readonly callTimeoutMs: number }): void {
    this.callTimeoutMs = callTimeoutMs;
    this.keepAlive.begin();
  }

  /** Sends the next calls to the next address. */
  useNextAddress(): void {
    this.position = (this.position + 1) % this.addresses.length;
  }

  /** Ends all calls. */
  close(): void {
    for (const call of this.inFlight) call.abort();
    this.keepAlive.end();
  }

  /**
   * Sends `body` as a POST, or without one sends a GET, and returns the JSON of the response.
   *
   * @param refusalOf returns the error for a problem that means more to this call than to others
   * @throws StoreUnavailableError if no response comes, or the service can't answer the request now
   * @throws StoreRejectedError if the service refuses this client
   */
  async call(
    path: string,
    body: object | undefined,
    deadline: CallDeadline = deadlineIn(this.environment.clock, this.callTimeoutMs),
    refusalOf: (problem: Problem) => SnowflakeError | undefined = () => undefined,
  ): Promise<unknown> {
    const abort = new AbortController();
    const { environment } = this;
    const alarm = environment.clock.schedule(deadline.remainingMs(), () => abort.abort());
    this.inFlight.add(abort);
    const call = environment.newCallName();
    const { position } = this;
    try {
      const token = await this.tokenUntil(abort.signal);
      const url = `${this.addresses[position]}/v1/${path}`;
      const request = requestOf(body, deadline, { call, token, signal: abort.signal });
      const response = await environment.fetch(url, request);
      const answer = jsonIn(await response.text());
      if (!response.ok) {
        const { status } = response;
        const { code } = Object(answer) as { code?: unknown };
        throw refusalOf({ status, code }) ?? refusal(this.description, status, answer, token);
      }
      if (response.headers.get(CALL_HEADER) !== call) {
        throw new StoreUnavailableError(
          `${this.description} is unavailable: the response belongs to another call. A cache or a proxy between the service and this process repeats responses.`,
        );
      }
      if (answer === undefined) {
        throw new StoreUnavailableError(`${this.description} is unavailable: the response was cut short.`);
      }
      return answer;
    } catch (error) {
      // Of calls that fail together at one address, only the first goes on from it.
      if (this.position === position) this.useNextAddress();
      throw this.asStoreError(error, abort.signal, deadline);
    } finally {
      alarm.cancel();
      this.inFlight.delete(abort);
    }
  }

  /** Returns the token. Rejects when the call ends, because the app's function may never settle. */
  private async tokenUntil(signal: AbortSignal): Promise<string | undefined> {
    const ended = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(new Error('the call has ended'))),
    );
    const token: unknown = await Promise.race([askApp('token', this.#token), ended]);
    if (token === undefined || isTokenText(token)) return token;
    // The error of `fetch` would show it.
    throw new StoreUnavailableError(
      `${this.description} can't be called: the function token returned no token of 1 to 4,096 visible ASCII characters.`,
    );
  }

  private asStoreError(error: unknown, { aborted }: AbortSignal, deadline: CallDeadline): SnowflakeError {
    if (error instanceof SnowflakeError) return error;
    if (aborted) return unanswered(this, deadline);
    // `fetch` states the reason in its cause.
    const { cause = error } = Object(error) as { cause?: unknown };
    if (error instanceof AppFunctionError) {
      return new StoreUnavailableError(`${this.description} can't be called: ${error.message}`, cause);
    }
    const reason = safeReason(cause);
    if (TLS_FAULT.test(reason)) {
      return new StoreRejectedError(
        `${this.description} can't be reached: ${asSentence(reason)} ${TLS_REMEDY}`,
        error,
      );
    }
    return new StoreUnavailableError(`${this.description} is unavailable: ${reason}`, error);
  }
}

function requestOf(
  body: object | undefined,
  deadline: CallDeadline,
  { call, token, signal }: { call: string; token: string | undefined; signal: AbortSignal },
): RequestInit {
  const remainingMs = deadline.remainingMs();
  const storeMs = remainingMs - Math.min(TRAVEL_MS, remainingMs * TRAVEL_SHARE);
  const headers: Record<string, string> = {
    accept: 'application/json',
    'cache-control': 'no-store',
    [CALL_HEADER]: call,
    [TIMEOUT_HEADER]: String(Math.max(1, Math.ceil(storeMs))),
    ...(body && { 'content-type': 'application/json' }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  return {
    method: body ? 'POST' : 'GET',
    headers,
    body: body && JSON.stringify(body),
    // Another server would get the token.
    redirect: 'manual',
    signal,
  };
}

/** Returns `undefined` if the text is not JSON, such as the error page of a proxy. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns the error for a response that is not a success. Its problem details (RFC 9457) have the code of the service's own error. */
function refusal(
  description: string,
  status: number,
  problem: unknown,
  token: string | undefined,
): SnowflakeError {
  const { code, detail } = Object(problem) as { code?: unknown; detail?: unknown };
  // A gateway may repeat the headers of the request.
  const secrets = new Redaction(token === undefined ? [] : [token]);
  const reason = typeof detail === 'string' ? secrets.clean(detail) : 'no reason is given';
  const message = `${description} answered ${status}: ${reason}`;
  const isPermanent = status < 500 ? !RETRYABLE.has(status) : code === 'SNOWFLAKE_STORE_REJECTED';
  return isPermanent ? new StoreRejectedError(message) : new StoreUnavailableError(message);
}
