import { requireCallName } from '../requests/call-name.js';
import { CALL_HEADER, type ServiceRequest } from './access.guard.js';
import { timeoutMsOf } from './call-timeout.js';
import { jsonBodyOf } from './json-body.js';

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
