import { HttpException } from '@nestjs/common';
import { InvalidOptionError, SnowflakeError, StoppedError } from 'nestjs-snowflake/core';
import { RequestRefusal } from './request-refusal.js';

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
  413: 'Content Too Large',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};

/** Errors of leases. Their messages are for the operators of the clients, who see who holds which worker ID anyway. */
const OF_STORES = 'SNOWFLAKE_STORE_';
const UNAVAILABLE =
  "The service can't issue IDs or numbers at the moment. Its operators find the reason in its log.";

/** Returns the part of an error that a client may see. */
export function problemOf(error: unknown): Problem {
  if (error instanceof RequestRefusal) return problem(error.getStatus(), error.code, error.detail);
  if (error instanceof HttpException) return problem(error.getStatus(), 'SNOWFLAKE_REFUSED', error.message);
  // The options of the service are checked at boot, so the values came with the request.
  if (error instanceof InvalidOptionError) return problem(400, 'SNOWFLAKE_INVALID_REQUEST', error.message);
  if (!(error instanceof SnowflakeError))
    return problem(500, 'SNOWFLAKE_INTERNAL', 'The service has logged the error.');
  const { code, message, clientFault, retryable } = error;
  if (clientFault !== undefined) return problem(400, code, clientFault);
  // While this process stops, another one can serve the same request.
  const isTemporary = retryable || error instanceof StoppedError;
  return problem(isTemporary ? 503 : 502, code, code.startsWith(OF_STORES) ? message : UNAVAILABLE);
}

function problem(status: number, code: string, detail: string): Problem {
  return { type: 'about:blank', title: TITLES[status] ?? 'Refused', status, detail, code };
}
