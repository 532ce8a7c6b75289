import type { ConsoleRequest } from './messages.js';

/**
 * Whether a page of another origin asks. An app can allow other origins by CORS, which is not meant for the console.
 *
 * Browsers send `Sec-Fetch-Site` to https and localhost only. Over plain HTTP, `Origin` decides: browsers add it to every
 * request whose answer a page of another origin could read, and to every POST. `X-Forwarded-Host` proves nothing, because
 * such a page can send it as soon as the app's CORS settings allow that header.
 */
export function isFromAnotherSite(request: ConsoleRequest): boolean {
  const site = request.header('sec-fetch-site');
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const origin = request.header('origin');
  // HTTP/2 has `:authority` for `Host`.
  return origin !== undefined && !namesHost(origin, request.header('host') ?? request.header(':authority'));
}

/** An origin leaves out the default port of its scheme, which a `Host` can name. */
function namesHost(origin: string, host: string | undefined): boolean {
  const own = urlOf(origin);
  if (own === undefined || host === undefined) return false;
  return own.host !== '' && own.host === urlOf(`${own.protocol}//${host}`)?.host;
}

function urlOf(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
