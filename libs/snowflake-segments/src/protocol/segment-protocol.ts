import type { ClaimRefusal } from '../store/segment-refusal.js';
import type {
  ClaimReply,
  LossReason,
  Refusal,
  ResumeReply,
  ReturnReply,
  SegmentClaim,
  SegmentReturn,
  StoreSnapshot,
  TagReply,
  TagRequest,
} from '../store/segment-store.js';
import {
  addMember,
  admit,
  beginMembership,
  type IntroducedMember,
  isAnnounced,
  type Member,
  NO_MEMBERSHIP,
  type Unannounced,
} from './membership.js';
import type { ClaimRow, Counter, Members, SegmentRegistry, TagState } from './segment-registry.js';

/** The numbers of one store: `remainder`, `remainder + stride`, … */
export interface Residue {
  readonly stride: number;
  readonly remainder: number;
}

/** The step of a tag that was lost as a whole. */
const RESTORED_STEP = 1000;

/** A request for a segment, as one process sends it to one database. */
export interface ProcessClaim {
  readonly claim: SegmentClaim;
  readonly residue: Residue;
  /** The end of the highest segment that this process was ever granted for the tag. */
  readonly floor: number;
}

/** A tag of which the database can grant numbers. */
interface ClaimableTag {
  readonly outcome: 'claimable';
  readonly counter: Counter;
  readonly state: TagState;
}

/** Grants a segment. */
export async function claimSegment(registry: SegmentRegistry, request: ProcessClaim): Promise<ClaimReply> {
  const tag = await lockForClaim(registry, request);
  return tag.outcome === 'claimable' ? grantSegment(registry, request, tag) : tag;
}

/** Grants a segment from one of several databases, if all others have stored that it serves the tag. */
export async function claimSegmentAsMember(
  registry: SegmentRegistry,
  request: ProcessClaim,
): Promise<ClaimReply | Unannounced> {
  const tag = await lockForClaim(registry, request);
  if (tag.outcome !== 'claimable') return tag;
  if (!isAnnounced(tag.state)) return { outcome: 'unannounced' };
  return grantSegment(registry, request, tag);
}

/** Locks the tag. Refuses if numbers of it may have been lost, or could collide with those of another stride. */
async function lockForClaim(
  registry: SegmentRegistry,
  { claim, residue, floor }: ProcessClaim,
): Promise<ClaimableTag | ClaimRefusal> {
  const counter = await registry.lock(claim.tag, claim.token);
  if (!counter) return { outcome: 'unknown-tag' };
  const stored = await ensureState(registry, claim.tag, counter, residue);
  const state = await storeFloor(registry, claim.tag, stored, floor);
  const reason = await lossOf(registry, counter, state);
  if (reason) return { outcome: 'lost', reason };
  if (state.stride !== residue.stride || state.remainder !== residue.remainder) {
    return { outcome: 'stride', stored: describeResidue(state), own: describeResidue(residue) };
  }
  return { outcome: 'claimable', counter, state };
}

/**
 * Grants the segment of a token once more, or else a rest, or else new numbers. Two segments never share a number, because each one moves
 * the counter or takes a rest out, in a transaction that has locked the tag.
 */
async function grantSegment(
  registry: SegmentRegistry,
  { claim, residue }: ProcessClaim,
  { counter, state }: ClaimableTag,
): Promise<ClaimReply> {
  await registry.removeClaims(claim.finished);
  const own = await registry.findClaim(claim.token);
  if (own) return own.isRest ? { outcome: 'spent' } : granted(own, counter);
  const rest = await registry.lowestRest(claim.tag);
  return rest
    ? granted(await grantRest(registry, claim, rest, residue), counter)
    : grantNew(registry, claim, counter, state);
}

/** Accepts the rest of a segment that is as it was granted. Otherwise the rest was lost, or was returned before. */
export async function returnRest(
  registry: SegmentRegistry,
  { tag, token, first, count }: SegmentReturn,
  { stride }: Residue,
  floor: number,
): Promise<ReturnReply> {
  const counter = await registry.lock(tag, token);
  const stored = counter && (await registry.findState(tag));
  if (!counter || !stored) return { outcome: 'unknown' };
  const state = await storeFloor(registry, tag, stored, floor);
  if (await lossOf(registry, counter, state)) return { outcome: 'unknown' };
  const row = await registry.findClaim(token);
  if (!row) return { outcome: 'unknown' };
  if (row.isRest) return { outcome: 'returned' };
  if (first + count * stride !== endOf(row, stride) || count > row.count) return { outcome: 'unknown' };
  if (count === 0) await registry.removeClaims([token]);
  else await registry.replaceClaim(row, { token, first, count, isRest: true });
  return { outcome: 'returned' };
}

/**
 * Adds a tag unless it exists. After a loss it refuses: the tag may have existed.
 *
 * The counter is read again if the state exists: another process may have created both between the two reads, each of which
 * sees what is committed by then.
 */
export async function createTag(
  registry: SegmentRegistry,
  { tag, first, step, description }: TagRequest,
  residue: Residue,
): Promise<TagReply> {
  if (await registry.lock(tag)) return { outcome: 'exists' };
  const reason = await registry.serverLoss();
  if (reason) return { outcome: 'lost', reason };
  if (await registry.findState(tag))
    return (await registry.lock(tag)) ? { outcome: 'exists' } : { outcome: 'lost', reason: 'restored' };
  await registry.addCounter(tag, { next: first, step }, description);
  await addState(registry, tag, first, residue);
  return { outcome: 'created' };
}

/** Returns what the other databases must store before this one grants numbers; `undefined` if it can't grant any. */
export async function memberOf(
  registry: SegmentRegistry,
  tag: string,
  residue: Residue,
  newId: string,
): Promise<IntroducedMember | undefined> {
  const counter = await registry.lock(tag);
  if (!counter) return undefined;
  const state = await ensureState(registry, tag, counter, residue);
  const isLost = (await lossOf(registry, counter, state)) !== undefined;
  return isLost ? undefined : beginMembership(registry, tag, state, newId);
}

/** The reply of one of several databases to the introduction of another one. */
export type IntroductionReply =
  /** It knows the tag, and these databases that serve it. */
  { readonly outcome: 'noted'; readonly members: Members } | { readonly outcome: 'unknown-tag' } | Refusal;

/** Stores that another database serves the tag, unless yet another one has served in its place. */
export async function introduceMember(
  registry: SegmentRegistry,
  tag: string,
  member: Member,
  residue: Residue,
): Promise<IntroductionReply> {
  const counter = await registry.lock(tag);
  if (!counter) return { outcome: 'unknown-tag' };
  const state = await ensureState(registry, tag, counter, residue);
  const reason = await lossOf(registry, counter, state);
  if (reason) return { outcome: 'lost', reason };
  const members = await addMember(registry, tag, state, member);
  return members ? { outcome: 'noted', members } : { outcome: 'lost', reason: 'replaced' };
}

/** Lets a database grant numbers of the tag, since all others have stored that it serves it. */
export async function admitMember(
  registry: SegmentRegistry,
  tag: string,
  member: Member,
  others: Members,
): Promise<boolean> {
  const state = (await registry.lock(tag)) && (await registry.findState(tag));
  return state ? admit(registry, tag, state, member, others) : false;
}

/**
 * Moves the counter of each named tag above the number that the operator names, and above all that live processes have
 * reported. Restores tags that were lost as a whole. Needs the number of each tag that this library has claimed. The table
 * of Leaf may hold tags of others.
 */
export async function resumeTags(
  registry: SegmentRegistry,
  highest: Readonly<Record<string, number>>,
  residue: Residue,
): Promise<ResumeReply> {
  const missing = (await registry.claimedTags()).filter((tag) => !Object.hasOwn(highest, tag));
  if (missing.length > 0) return { outcome: 'missing', tags: missing };
  // The tags are in one order, so that two operators don't wait for each other.
  for (const tag of Object.keys(highest).toSorted())
    await resumeTag(registry, tag, highest[tag] ?? 0, residue);
  await registry.acceptHistory();
  return { outcome: 'resumed' };
}

/** Reads everything that an operator may want to see. */
export async function readTags(registry: SegmentRegistry): Promise<StoreSnapshot> {
  const tags = [];
  let reason = await registry.serverLoss();
  for (const tag of await registry.lockAll()) {
    const counter = await registry.lock(tag);
    if (!counter) continue;
    const state = await registry.findState(tag);
    if (state && counter.next < state.knownUntil) reason ??= 'restored';
    const rows = await registry.claims(tag);
    tags.push({
      tag,
      ...counter,
      rests: rows.filter(({ isRest }) => isRest).map(({ first, count }) => ({ first, count })),
      held: rows.filter(({ isRest }) => !isRest).map(({ token, first, count }) => ({ token, first, count })),
    });
  }
  return reason ? { lost: reason, tags } : { tags };
}

/** Returns the state of a tag, and adds it first to a counter that another program has written, such as Leaf: its number counts. */
async function ensureState(
  registry: SegmentRegistry,
  tag: string,
  { next }: Counter,
  residue: Residue,
): Promise<TagState> {
  const stored = await registry.findState(tag);
  if (stored) return stored;
  await addState(registry, tag, next, residue);
  return newState(next, residue);
}

function newState(knownUntil: number, residue: Residue): TagState {
  return { ...residue, knownUntil, membership: NO_MEMBERSHIP };
}

function addState(
  registry: SegmentRegistry,
  tag: string,
  knownUntil: number,
  residue: Residue,
): Promise<void> {
  return registry.addState(tag, newState(knownUntil, residue));
}

/** Stores what this process was granted, for {@link resumeTags} and for other processes, if the store has forgotten it. */
async function storeFloor(
  registry: SegmentRegistry,
  tag: string,
  state: TagState,
  floor: number,
): Promise<TagState> {
  if (floor <= state.knownUntil) return state;
  await registry.setKnownUntil(tag, state.knownUntil, floor);
  return { ...state, knownUntil: floor };
}

async function lossOf(
  registry: SegmentRegistry,
  { next }: Counter,
  { knownUntil }: TagState,
): Promise<LossReason | undefined> {
  return (await registry.serverLoss()) ?? (next < knownUntil ? 'restored' : undefined);
}

/** Takes a rest as a whole, or the beginning of a longer one. */
async function grantRest(
  registry: SegmentRegistry,
  { tag, token, count }: SegmentClaim,
  rest: ClaimRow,
  { stride }: Residue,
): Promise<ClaimRow> {
  const row = { token, first: rest.first, count: Math.min(count, rest.count), isRest: false };
  if (row.count === rest.count) {
    await registry.replaceClaim(rest, row);
  } else {
    const behind = { ...rest, first: endOf(row, stride), count: rest.count - row.count };
    await registry.replaceClaim(rest, behind);
    await registry.addClaim(tag, row);
  }
  return row;
}

async function grantNew(
  registry: SegmentRegistry,
  { tag, token, count }: SegmentClaim,
  counter: Counter,
  { stride, remainder, knownUntil }: TagState,
): Promise<ClaimReply> {
  const first = alignedFrom(counter.next, { stride, remainder });
  const possible = Math.floor((Number.MAX_SAFE_INTEGER - first) / stride);
  const row = { token, first, count: Math.min(count, possible), isRest: false };
  if (row.count < 1) return { outcome: 'ended' };
  await registry.grantNew(tag, { next: counter.next, knownUntil, end: endOf(row, stride), row });
  return granted(row, counter);
}

async function resumeTag(
  registry: SegmentRegistry,
  tag: string,
  highest: number,
  residue: Residue,
): Promise<void> {
  const counter = await registry.lock(tag);
  const state = await registry.findState(tag);
  const next = Math.max(counter?.next ?? 1, state?.knownUntil ?? 1, highest + 1);
  if (!counter) await registry.addCounter(tag, { next, step: RESTORED_STEP }, undefined);
  else if (next > counter.next) await registry.advance(tag, counter.next, next);
  // Before the loss a rest may have been granted, so none of them may be granted again.
  await registry.forgetClaims(tag);
  // A counter without a state is one of Leaf's that this library has never claimed.
  if (!state) return counter ? undefined : addState(registry, tag, next, residue);
  if (next > state.knownUntil) await registry.setKnownUntil(tag, state.knownUntil, next);
  // Every database introduces itself again, so that one which was replaced can.
  await registry.setMembership(tag, state.membership, NO_MEMBERSHIP);
}

function alignedFrom(number: number, { stride, remainder }: Residue): number {
  return number + ((stride - ((number - remainder) % stride)) % stride);
}

function endOf({ first, count }: Pick<ClaimRow, 'first' | 'count'>, stride: number): number {
  return first + count * stride;
}

function granted({ token, first, count }: ClaimRow, { step }: Counter): ClaimReply {
  return { outcome: 'granted', token, first, count, step };
}

function describeResidue({ stride, remainder }: Residue): string {
  return `stride ${stride}, remainder ${remainder}`;
}
