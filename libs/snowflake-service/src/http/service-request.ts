import { requireCallName } from '../requests/call-name.js';
import type { IdentifiedRequest } from '../requests/request-id.js';
import { RequestRefusal } from '../requests/request-refusal.js';

/**
 * The part of the requests of Express and Fastify that the service reads. Handlers read it too, not parameters of Nest, which the
 * pipes of the app can change after the guard has authorized a name.
 */
export interface ServiceRequest extends IdentifiedRequest {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** A client names its call by this header, and the response repeats it. */
export const CALL_HEADER = 'snowflake-call';
/** How long the client waits, in milliseconds. */
const TIMEOUT_HEADER = 'snowflake-timeout-ms';
const WHOLE_NUMBER = /^\d{1,9}$/;
const JSON_TYPE = /^application\/json *(;|$)/i;

/** Returns how long the client waits. Without a valid header, only the service's own bound applies. */
export function timeoutMsOf({ headers }: ServiceRequest): number {
  const header = headers[TIMEOUT_HEADER];
  return typeof header === 'string' && WHOLE_NUMBER.test(header) ? Number(header) : Number.MAX_SAFE_INTEGER;
}

/** Returns the body of a request. Refuses a form, which looks like JSON with wrong fields. @throws RequestRefusal */
export function jsonBodyOf({ headers, body }: ServiceRequest): unknown {
  if (JSON_TYPE.test(headers['content-type']?.toString() ?? '')) return body;
  const detail = 'The Content-Type of the request is not application/json.';
  throw new RequestRefusal(415, 'SNOWFLAKE_UNSUPPORTED_MEDIA_TYPE', detail);
}

/** Returns the namespace whose store a request is for. */
export const namespaceOf = ({ params }: ServiceRequest): string => String(params['namespace']);

/**
 * Returns what a call needs that changes a store.
 *
 * @param read reads the body
 * @throws RequestRefusal if the client has not named the call, and what `read` throws
 */
export function changeIn<Body>(
  request: ServiceRequest,
  read: (body: unknown) => Body,
): [namespace: string, body: Body, timeoutMs: number] {
  requireCallName('The header Snowflake-Call', request.headers[CALL_HEADER]);
  return [namespaceOf(request), read(jsonBodyOf(request)), timeoutMsOf(request)];
}
