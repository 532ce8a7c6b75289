import { HttpException } from '@nestjs/common';

/** The codes of requests that the service refuses. Clients match on them. */
export const REFUSAL_CODES = [
  'SNOWFLAKE_INVALID_REQUEST',
  'SNOWFLAKE_UNAUTHORIZED',
  'SNOWFLAKE_FORBIDDEN',
  'SNOWFLAKE_UNKNOWN_NAME',
  'SNOWFLAKE_UNKNOWN_ROUTE',
  'SNOWFLAKE_METHOD_NOT_ALLOWED',
  'SNOWFLAKE_REQUEST_TOO_LARGE',
  'SNOWFLAKE_UNSUPPORTED_MEDIA_TYPE',
  // These are for what else Nest or the app refuses, and for a fault of the service.
  'SNOWFLAKE_REFUSED',
  'SNOWFLAKE_INTERNAL',
] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];

/** A request that the service refuses, with the `code` of its problem details. */
export class RequestRefusal extends HttpException {
  constructor(
    status: number,
    readonly code: RefusalCode,
    readonly detail: string,
    /** Headers of the response, such as `WWW-Authenticate`. */
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(detail, status);
  }
}

/** Returns the refusal of a request that violates the protocol. */
export function invalidRequest(detail: string): RequestRefusal {
  return new RequestRefusal(400, 'SNOWFLAKE_INVALID_REQUEST', detail);
}

/** Returns the refusal of a name that the service doesn't serve. */
export function unknownName(kind: 'namespace' | 'instance' | 'tag'): RequestRefusal {
  return new RequestRefusal(404, 'SNOWFLAKE_UNKNOWN_NAME', `This service serves no ${kind} of that name.`);
}
