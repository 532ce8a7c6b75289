/** What a request needs for {@link requestIdOf}. */
export interface IdentifiedRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Set by Fastify, pino-http and others. */
  readonly id?: unknown;
}

/** Characters that can't break a log line or a query. */
const REQUEST_ID = /^[\w.:/+=@-]{1,128}$/;
/** The trace ID of W3C Trace Context. */
const TRACE = /^[\da-f]{2}-([\da-f]{32})-/;

/**
 * Returns the ID by which logs name a request: that of the client or the proxy, or that of its trace, or that of the server. What is
 * too long, has other characters or is part of the credentials is no ID.
 */
export function requestIdOf({ headers, id }: IdentifiedRequest): string | undefined {
  const [, trace] = TRACE.exec(String(headers['traceparent'])) ?? [];
  const own = typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
  const credentials = String(headers['authorization']);
  return [headers['x-request-id'], trace, own].find(
    (found): found is string =>
      typeof found === 'string' && REQUEST_ID.test(found) && !credentials.includes(found),
  );
}
