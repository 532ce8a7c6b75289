import type { WatchChange } from '../api/console-api.js';

/** Returns what turns one JSON value into another, or undefined if they are the same. Absent and undefined are the same. */
export function changeBetween(before: unknown, after: unknown): WatchChange | undefined {
  if (Object.is(before, after)) return undefined;
  const [from, to] = [fieldsOf(before), fieldsOf(after)];
  // Lists of different lengths have nothing in common, since their items have moved.
  const isAnother = !from || !to || lengthOf(before) !== lengthOf(after);
  if (isAnother) return (after ?? null) as WatchChange;
  const changes: Record<string, WatchChange> = {};
  for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const change = changeBetween(from[name], to[name]);
    if (change !== undefined) changes[name] = change;
  }
  return Object.keys(changes).length > 0 ? changes : undefined;
}

/** Returns an object or a list by the names or indexes of its values. */
function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}

function lengthOf(value: unknown): number | undefined {
  return Array.isArray(value) ? value.length : undefined;
}
