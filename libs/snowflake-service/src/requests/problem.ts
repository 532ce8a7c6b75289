import { HttpException } from '@nestjs/common';
import { InvalidOptionError, SnowflakeError, StoppedError } from 'nestjs-snowflake/core';
import { type RefusalCode, RequestRefusal } from './request-refusal.js';

/** Problem details of RFC 9457, with a stable code. */
export interface Problem {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};

/** Codes of what Nest or its HTTP server refuses before it reaches the service. */
const CODES: Readonly<Record<number, RefusalCode>> = {
  404: 'SNOWFLAKE_UNKNOWN_ROUTE',
  413: 'SNOWFLAKE_REQUEST_TOO_LARGE',
  415: 'SNOWFLAKE_UNSUPPORTED_MEDIA_TYPE',
};

/** Errors of leases. Their messages are for the operators of the clients, who see who holds which worker ID anyway. */
const OF_STORES = /^SNOWFLAKE_(STORE_|BACKFILL_REFUSED$)/;
const UNAVAILABLE = "The service can't issue IDs or numbers at the moment. Its log states the reason.";

/** Returns the part of an error that a client may see. */
export function problemOf(error: unknown): Problem {
  if (error instanceof RequestRefusal) return problem(error.getStatus(), error.code, error.detail);
  if (error instanceof HttpException) return problemOfNest(error);
  // The options of the service are checked at startup, so the values came with the request.
  if (error instanceof InvalidOptionError) return problem(400, 'SNOWFLAKE_INVALID_REQUEST', error.message);
  if (!(error instanceof SnowflakeError))
    return problem(500, 'SNOWFLAKE_INTERNAL', 'The service has logged the error.');
  const { code, message, clientFault, retryable } = error;
  if (clientFault !== undefined) return problem(400, code, clientFault);
  // While this process stops, another one can serve the same request.
  const isTemporary = retryable || error instanceof StoppedError;
  return problem(isTemporary ? 503 : 502, code, OF_STORES.test(code) ? message : UNAVAILABLE);
}

function problemOfNest(error: HttpException): Problem {
  const status = error.getStatus();
  // The parser's own message can repeat a part of the body.
  if (status === 400 && isOfJson(error.cause))
    return problem(400, 'SNOWFLAKE_INVALID_REQUEST', 'The body of the request is not valid JSON.');
  return problem(status, CODES[status] ?? 'SNOWFLAKE_REFUSED', error.message);
}

/** Express throws a SyntaxError, and Fastify an error with a code. */
function isOfJson(cause: unknown): boolean {
  const code: unknown = Reflect.get(Object(cause), 'code');
  return cause instanceof SyntaxError || (typeof code === 'string' && code.endsWith('_JSON_BODY'));
}

function problem(status: number, code: string, detail: string): Problem {
  return { type: 'about:blank', title: TITLES[status] ?? 'Refused', status, detail, code };
}
