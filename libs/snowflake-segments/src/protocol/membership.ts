import type { Members, Membership, SegmentRegistry, TagState } from './segment-registry.js';

/** The membership of a tag that no database has been asked for. */
export const NO_MEMBERSHIP: Membership = { known: {} };

/** One of several databases that serves a tag. */
export interface Member {
  readonly remainder: number;
  readonly id: string;
}

/** A member, and whether all other databases have stored it. */
export interface IntroducedMember extends Member {
  readonly isAnnounced: boolean;
}

/** A database grants no number of a tag before all others have stored that it serves it. */
export interface Unannounced {
  readonly outcome: 'unannounced';
}

/** Returns both lists in one; `undefined` if two databases claim the same place. */
export function joined(one: Members, other: Members): Members | undefined {
  const all: Record<number, string> = { ...one };
  for (const [key, id] of Object.entries(other)) {
    const remainder = Number(key);
    if ((all[remainder] ?? id) !== id) return undefined;
    all[remainder] = id;
  }
  return all;
}

/** Returns whether all other databases have stored that this one serves the tag. */
export function isAnnounced({ remainder, membership: { id, known } }: TagState): boolean {
  return id !== undefined && known[remainder] === id;
}

/** Returns what the other databases must store first. Uses `newId` if this database has no ID. */
export async function beginMembership(
  registry: SegmentRegistry,
  tag: string,
  { remainder, membership }: TagState,
  newId: string,
): Promise<IntroducedMember> {
  const { id = newId, known } = membership;
  if (membership.id === undefined) await registry.setMembership(tag, membership, { ...membership, id });
  return { remainder, id, isAnnounced: known[remainder] === id };
}

/** Stores that another database serves the tag. Returns all members; `undefined` if its place belongs to another one. */
export async function addMember(
  registry: SegmentRegistry,
  tag: string,
  { remainder, membership }: TagState,
  member: Member,
): Promise<Members | undefined> {
  const known = joined(membership.known, { [member.remainder]: member.id });
  if (!known) return undefined;
  if (membership.known[member.remainder] === undefined)
    await registry.setMembership(tag, membership, { ...membership, known });
  // The one that introduces itself must know this one, which may be about to do the same.
  return membership.id === undefined ? known : joined(known, { [remainder]: membership.id });
}

/** Stores all members of the tag, itself included, so that it may grant numbers. Returns whether it has done so. */
export async function admit(
  registry: SegmentRegistry,
  tag: string,
  { membership }: TagState,
  { remainder, id }: Member,
  others: Members,
): Promise<boolean> {
  const known = joined(membership.known, others);
  const all = known && joined(known, { [remainder]: id });
  if (!all || membership.id !== id) return false;
  await registry.setMembership(tag, membership, { id, known: all });
  return true;
}
