const CREDENTIALS = /^(sentinel)?(user(name)?|password)$/i;

/**
 * Parses the URL of a server. Returns `undefined` if it isn't one, or if a part of it isn't percent-encoded: a parser would
 * take the beginning of a password for the host or the path, and errors would show it.
 */
export function parsedServerUrl(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const { username, password, pathname, search, searchParams, hash } = url;
  if (hash !== '' || /^\?[^=]*@/.test(search) || pathname.includes('@')) return undefined;
  const hasRawAt = [...searchParams].some(
    ([name, value]) => `${name}${value}`.includes('@') && !CREDENTIALS.test(name),
  );
  return hasRawAt || ![username, password, pathname].every(isEncoded) ? undefined : url;
}

function isEncoded(part: string): boolean {
  try {
    return decodeURIComponent(part) !== undefined;
  } catch {
    return false;
  }
}
