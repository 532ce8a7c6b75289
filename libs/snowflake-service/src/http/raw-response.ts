import type { ServerResponse } from 'node:http';

/** Returns the response of Node: Fastify wraps it, and Express extends it. */
export function rawResponse(response: unknown): ServerResponse {
  const { raw = response } = response as { readonly raw?: unknown };
  return raw as ServerResponse;
}
