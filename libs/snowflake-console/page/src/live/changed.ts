import type { WatchChange } from '../../../src/api/console-api.js';

/** Returns a JSON value after a change. What hasn't changed stays the same object. */
export function changed(before: unknown, change: WatchChange): unknown {
  if (!isFields(change) || typeof before !== 'object' || before === null) return change;
  const after: Record<string, unknown> = Array.isArray(before)
    ? (Array.from(before) as never)
    : { ...(before as Record<string, unknown>) };
  for (const [name, part] of Object.entries(change)) {
    if (part === null) delete after[name];
    else after[name] = changed(after[name], part);
  }
  return after;
}

function isFields(change: WatchChange): change is { readonly [name: string]: WatchChange } {
  return typeof change === 'object' && change !== null && !Array.isArray(change);
}
