/**
 * What is searched. A scope bounds the model: holders, window, last reading of the server's clock, calls that are stuck
 * at a time, losses of writes, and whether the clock may step back at will. Worker IDs: 2. maxSkew: 1.
 *
 * Searches for a duplicate go breadth first, for the shortest trace; their numbers of states include those within steps.
 */
const scope = (holders, window, lastNow, copies, losses, clockSteps = false) => ({
  holders,
  window,
  lastNow,
  copies,
  losses,
  clockSteps,
});

/** The protocol as it is, searched exhaustively. `bounded` ones are run by the tests as well. */
export const PROOFS = [
  { name: 'stuck calls, clock steps', scope: scope(3, 2, 4, 1, 0, true), bounded: true },
  { name: 'lost writes', scope: scope(3, 2, 5, 0, 1), bounded: true },
  { name: 'stuck calls, clock steps, longer', scope: scope(3, 2, 6, 1, 0, true) },
  { name: 'two stuck calls at a time', scope: scope(3, 2, 4, 2, 0) },
  { name: 'lost writes, longer', scope: scope(3, 2, 6, 0, 1) },
  { name: 'lost writes, twice', scope: scope(3, 2, 5, 0, 2) },
  { name: 'lost writes, clock steps', scope: scope(3, 2, 4, 0, 1, true) },
  { name: 'stuck calls, no states merged', scope: scope(2, 2, 4, 1, 0), merged: false },
  { name: 'lost writes, no states merged', scope: scope(2, 2, 4, 0, 1), merged: false },
  { name: 'lost writes, stuck calls', scope: scope(3, 2, 4, 1, 1) },
];

/** Few states, and room enough for nearly every duplicate. A window of 1 cannot be renewed a tick later. */
const calm = scope(2, 1, 4, 0, 0);
const lossy = scope(2, 1, 4, 0, 1);

/** The protocol without one rule: a duplicate must be found. */
export const MUTATIONS = [
  { name: 'NO_TOKEN_CHECK', removes: 'a renewal shows the fencing token of the latest grant', scope: calm },
  {
    name: 'TOKEN_WITHOUT_FROM',
    removes: '`from` is a part of the fencing token',
    scope: scope(2, 1, 5, 1, 0),
  },
  {
    name: 'RELEASE_WITHOUT_TOKEN',
    removes: 'a release shows the fencing token',
    scope: scope(2, 1, 4, 1, 0),
  },
  { name: 'RELEASE_BELOW_FROM', removes: 'a release stays above the start of its grant', scope: calm },
  { name: 'RELEASE_BEFORE_STOP', removes: 'issuing ends before the release is sent', scope: calm },
  { name: 'GRANT_BELOW_RESERVED', removes: 'a grant starts at reserved until', scope: calm },
  { name: 'FROM_IGNORED', removes: 'the holder issues above `from` only', scope: calm },
  { name: 'LIMIT_IGNORED', removes: 'the holder issues up to its limit only', scope: calm },
  { name: 'LATE_REPLY_ADOPTED', removes: 'a reply after its timeout is dropped', scope: calm, exact: false },
  {
    name: 'RENEWAL_SHRINKS',
    removes: 'a renewal never lowers reserved until',
    scope: scope(2, 1, 4, 0, 0, true),
  },
  { name: 'NO_GRANTS_AFTER', removes: 'a new history sets `grantsAfter`', scope: lossy },
  { name: 'GRANT_BELOW_GRANTS_AFTER', removes: 'a grant starts at `grantsAfter`', scope: lossy },
  { name: 'NO_HISTORY', removes: 'a failover shows as a new history', scope: lossy },
  { name: 'NO_GAP', removes: 'a claim ends maxSkew ahead to be renewed', scope: lossy },
  { name: 'ROW_OF_ANY_HISTORY', removes: 'a row of this history ends above `grantsAfter`', scope: lossy },
  { name: 'EXPIRED_RENEWED', removes: 'an expired claim is not renewed', scope: lossy, fullOnly: true },
  {
    name: 'HELD_GRANTED',
    removes: 'only an offline worker ID is granted',
    scope: scope(2, 2, 3, 0, 1),
    fullOnly: true,
  },
  {
    name: 'FRESH_NOT_PROBED',
    removes: 'a fresh worker ID has no row',
    scope: scope(2, 2, 5, 0, 1),
    fullOnly: true,
  },
];

/** The protocol without a rule that only liveness needs: nothing must be found. */
export const LIVENESS_RULES = [
  {
    name: 'NO_CLAIM_ACROSS_WIPE',
    removes: 'a live holder carries its claim across a wipe',
    why: 'without it every holder goes over to another worker ID after a wipe, above `grantsAfter`',
    scope: scope(2, 2, 5, 0, 1),
  },
  {
    name: 'GRANTS_AFTER_NOT_AWAITED',
    removes: 'nothing is granted before `grantsAfter` has passed',
    why: 'the grant starts at `grantsAfter` in any case; the wait leaves live holders time to carry their claims',
    scope: scope(2, 2, 4, 0, 1),
  },
  {
    name: 'NO_REPEAT',
    removes: 'a retry is given the grant whose reply was lost',
    why: 'the grant that nobody learned of stays unused',
    scope: scope(2, 2, 5, 1, 0),
  },
  {
    name: 'EXPIRED_REPEATED',
    removes: 'an expired grant is not repeated',
    why: 'it is the window that was given away to this nonce alone, and its renewal is refused',
    scope: scope(2, 2, 5, 0, 1),
  },
];

export const describeScope = ({ holders, window, lastNow, copies, losses, clockSteps }) =>
  [
    `${holders} holders`,
    `window ${window}`,
    `clock 1..${lastNow}${clockSteps ? ' back and forth' : ''}`,
    `${copies} stuck`,
    `${losses} ${losses === 1 ? 'loss' : 'losses'}`,
  ].join(', ');
