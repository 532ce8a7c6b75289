import type { ConsoleRequest } from './messages.js';

/**
 * Returns whether the request comes from a page of another origin. The CORS settings of the app don't apply to the console.
 *
 * Browsers send `Sec-Fetch-Site` only to HTTPS and localhost. Over plain HTTP, `Origin` decides: browsers add it to every
 * request whose answer a page of another origin could read, and to every POST. `X-Forwarded-Host` proves nothing, because
 * a page of another origin can send it if the app's CORS settings allow that header.
 */
export function isFromAnotherSite(request: ConsoleRequest): boolean {
  const site = request.header('sec-fetch-site');
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const origin = request.header('origin');
  // HTTP/2 has `:authority` instead of `Host`.
  return origin !== undefined && !namesHost(origin, request.header('host') ?? request.header(':authority'));
}

/** Compares hosts with their ports: an origin leaves out the default port of its scheme, a `Host` may contain it. */
function namesHost(origin: string, host: string | undefined): boolean {
  const own = urlOf(origin);
  if (own === undefined || host === undefined) return false;
  return own.host !== '' && own.host === urlOf(`${own.protocol}//${host}`)?.host;
}

function urlOf(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
