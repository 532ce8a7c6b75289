import type { Members } from '../protocol/segment-registry.js';

/** Returns a list of members as a column holds it: empty, or JSON. */
export function writtenMembers(members: Members): string {
  return Object.keys(members).length === 0 ? '' : JSON.stringify(members);
}

/** Reads the list of {@link writtenMembers}; `undefined` if it is none. */
export function readMembers(text: string): Members | undefined {
  if (text === '') return {};
  try {
    const read: unknown = JSON.parse(text);
    const isList = Object.entries(Object(read)).every(
      ([remainder, id]) => /^\d{1,3}$/.test(remainder) && typeof id === 'string',
    );
    return isList ? (read as Members) : undefined;
  } catch {
    return undefined;
  }
}
