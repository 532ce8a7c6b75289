/*
 * Scripts with one of their mechanisms taken away, for controls that must see what the mechanism prevents.
 */

/** It minds neither whether a window still runs nor where it ends. */
export function withoutReservedUntil(leaseScript: string): string {
  const takesHeld = replaced(leaseScript, 'next_free and next_free_end < now', 'next_free');
  return replaced(takesHeld, 'math.max(reserved, grants_after), now + window', 'grants_after, now + window');
}

/** The fencing token tells who was granted the worker ID, but not from when on. */
export function withoutFromInToken(leaseScript: string): string {
  return replaced(leaseScript, `nonce .. '@' .. text(from)`, `nonce .. '@0'`);
}

/** Whoever releases a worker ID need not be its present holder. */
export function withoutAskingForToken(releaseScript: string): string {
  return replaced(releaseScript, `if token == '' or token ~= stored_token then return { 'GONE' } end`, '');
}

/** Throws when the mechanism is no longer written so: a control must not become a copy of the real thing. */
export function replaced(script: string, mechanism: string, by: string): string {
  if (script.split(mechanism).length !== 2) {
    throw new Error(`The script should contain once, but does not: ${mechanism}`);
  }
  return script.replace(mechanism, () => by);
}
