import { RequestRefusal } from '../requests/request-refusal.js';
import type { ServiceRequest } from './access.guard.js';

const JSON_TYPE = /^application\/json *(;|$)/i;

/** Returns the body of a request. Refuses a form, which looks like JSON with wrong fields. @throws RequestRefusal */
export function jsonBodyOf({ headers, body }: ServiceRequest): unknown {
  if (JSON_TYPE.test(headers['content-type']?.toString() ?? '')) return body;
  const detail = 'The Content-Type of the request is not application/json.';
  throw new RequestRefusal(415, 'SNOWFLAKE_UNSUPPORTED_MEDIA_TYPE', detail);
}
