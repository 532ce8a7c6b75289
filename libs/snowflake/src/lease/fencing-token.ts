import type { LeaseRequest } from './lease-store.js';

/**
 * The fencing tokens of this library's stores: `<nonce>@<from>` for a grant, with `~<count>~<attempt>` after it once the grant
 * was renewed. The start of the window is in it, so a delayed copy of an old call that runs a window later with the same nonce
 * makes a different fencing token from the one that the holder shows. Each renewal adds one to the count and writes the nonce
 * of its attempt, so of two processes with the same memory only one has the fencing token that is stored. A retry that returns a
 * grant again counts as a renewal, too, for the same reason.
 *
 * An attempt is a nonce, and after it how far the clock of its process is corrected, if it is: `0123456789abcdef+480000`. So the
 * registry names every process whose clock is wrong. The nonce alone distinguishes attempts.
 */
const RENEWED = /^([^~]*)~(\d{1,15})~([^~]*)$/;
/** A grant to a process, whose nonce names its holder. */
const HELD = /^[0-9a-f]+:(.*)@(\d+)(?:~\d+~[^~]*)?$/s;
const GRANT = /@(\d{1,15})$/;
const ATTEMPT = /^[^:@~]*/;
/** The nonce of a worker ID that is reserved for imports. Processes have 16 hex digits in the place of the 0. */
export const IMPORT_NONCE = '0:backfill';
const IMPORT = new RegExp(`^${IMPORT_NONCE}@(\\d{1,15})~`);
const CLOCK = /[+-]\d{1,15}$/;

interface Parts {
  /** The fencing token of the grant. */
  readonly grant: string;
  readonly renewals: number;
  /** The attempt that wrote the fencing token: the last renewal or, if there was none, the grant. */
  readonly attempt: string;
}

/** Returns the fencing token of a grant. */
export function fencingTokenOf(nonce: string, fromMs: number): string {
  return `${nonce}@${fromMs}`;
}

/** Reads the start of the window from the fencing token of a grant or of its renewal; `undefined` from another text. */
export function fromOfFencingToken(fencingToken: string): number | undefined {
  const digits = GRANT.exec(partsOf(fencingToken).grant)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Reads the name of the holder and the start of its window; `undefined` from a text that no process of this library has written. */
export function holderOf(
  fencingToken: string,
): { readonly holder: string; readonly windowFromMs: number } | undefined {
  const [, holder, from] = HELD.exec(fencingToken) ?? [];
  return holder === undefined ? undefined : { holder, windowFromMs: Number(from) };
}

/** Returns the fencing token with which a grant began. */
export function grantOf(fencingToken: string): string {
  return partsOf(fencingToken).grant;
}

/** Whether two fencing tokens are of one grant. */
export function isSameGrant(one: string, other: string): boolean {
  return grantOf(one) === grantOf(other);
}

/** Whether a renewal is known to the holder: a row with another one shows that a copy of the holder made it. */
export function isCopied(stored: string, shown: string, attempts: readonly string[]): boolean {
  const [row, claim] = [partsOf(stored), partsOf(shown)];
  const isKnown = stored === shown || isWrittenBy(attempts, stored);
  // A failover that lost renewals has put an older row in place.
  return !isKnown && row.renewals >= claim.renewals;
}

/**
 * Returns the fencing token after a renewal. A repeated request leaves it as it is, because its holder may have the first reply.
 *
 * @param attempt the nonce of this renewal
 */
export function renewedToken(stored: string, shown: string, attempt: string): string {
  const [row, claim] = [partsOf(stored), partsOf(shown)];
  if (row.attempt === attempt) return stored;
  return `${row.grant}~${Math.max(row.renewals, claim.renewals) + 1}~${attempt}`;
}

/** Returns an attempt of a process whose clock is corrected by so much. */
export function attemptWith(nonce: string, clockCorrectionMs: number): string {
  if (clockCorrectionMs === 0) return nonce;
  return `${nonce}${clockCorrectionMs > 0 ? '+' : '-'}${Math.abs(clockCorrectionMs)}`;
}

/** Returns an attempt without the correction of the clock. */
export function withoutCorrection(attempt: string): string {
  return attempt.replace(CLOCK, '');
}

/** Reads how far the process that wrote a fencing token had corrected its clock, in milliseconds; `undefined` if it shows nothing. */
export function clockCorrectionOf(fencingToken: string): number | undefined {
  const [correction] = CLOCK.exec(partsOf(fencingToken).attempt) ?? [];
  return correction === undefined ? undefined : Number(correction);
}

/** Reads up to which timestamp imports have claimed those of a worker ID; `undefined` if it is not reserved for them. */
export function claimedByImports(fencingToken: string): number | undefined {
  const [, claimed] = IMPORT.exec(fencingToken) ?? [];
  return claimed === undefined ? undefined : Number(claimed);
}

/** Returns the attempts of a request, the latest first. One that lists none has the one that its nonce names. */
export function attemptsOf({
  nonce,
  attempts = [attemptIn(nonce)],
}: Pick<LeaseRequest, 'nonce' | 'attempts'>): readonly string[] {
  return attempts;
}

/** Whether one of these attempts wrote the fencing token. A copy of the holder makes other attempts. */
export function isWrittenBy(attempts: readonly string[], fencingToken: string): boolean {
  return attempts.includes(partsOf(fencingToken).attempt);
}

function partsOf(fencingToken: string): Parts {
  const [, grant, renewals, attempt] = RENEWED.exec(fencingToken) ?? [];
  if (grant === undefined || renewals === undefined || attempt === undefined)
    return { grant: fencingToken, renewals: 0, attempt: attemptIn(fencingToken) };
  return { grant, renewals: Number(renewals), attempt };
}

/** Returns what precedes the name of the holder in a nonce, or in the fencing token of a grant, which begins with the nonce. */
function attemptIn(nonce: string): string {
  return ATTEMPT.exec(nonce)?.[0] ?? '';
}
