import type { ServiceRequest } from './access.guard.js';

/** How long the client waits, in milliseconds. */
const TIMEOUT_HEADER = 'snowflake-timeout-ms';
const WHOLE_NUMBER = /^\d{1,9}$/;

/** Returns how long the client waits. Without a valid header, only the service's own bound applies. */
export function timeoutMsOf({ headers }: ServiceRequest): number {
  const header = headers[TIMEOUT_HEADER];
  return typeof header === 'string' && WHOLE_NUMBER.test(header) ? Number(header) : Number.MAX_SAFE_INTEGER;
}
