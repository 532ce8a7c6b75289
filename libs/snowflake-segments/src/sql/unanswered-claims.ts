import type { SegmentClaim } from '../store/segment-store.js';

/** A claim without a reply. Sent again with its token, it grants the same segment. */
export interface UnansweredClaim {
  readonly token: string;
  readonly count: number;
  /** The token of the caller that repeats it; `undefined` if nobody does. */
  caller: string | undefined;
  /** Calls that are under way. */
  calls: number;
}

/**
 * The claims that one of several databases has not answered. A caller that got its segment elsewhere never repeats its claim,
 * so a later caller does: otherwise the numbers of a lost reply would be lost.
 */
export class UnansweredClaims {
  private readonly byTag = new Map<string, Set<UnansweredClaim>>();
  private made = 0;

  /** @param suffix the end of the tokens */
  constructor(private readonly suffix: string) {}

  /**
   * Begins a call: with the caller's own claim, with a claim that nobody repeats, or with a new claim. Two callers never have
   * the same claim, since both would get its segment.
   */
  begin({ tag, token: caller, count }: SegmentClaim): UnansweredClaim {
    const all = this.byTag.get(tag) ?? new Set<UnansweredClaim>();
    this.byTag.set(tag, all);
    const known = [...all];
    const claim =
      known.find((each) => each.caller === caller) ?? known.find(isFree) ?? this.make(caller, count);
    claim.caller = caller;
    claim.calls += 1;
    all.add(claim);
    return claim;
  }

  /** Forgets a claim that was answered. */
  answered(tag: string, claim: UnansweredClaim): void {
    const all = this.byTag.get(tag);
    all?.delete(claim);
    if (all?.size === 0) this.byTag.delete(tag);
  }

  /** Ends a call without a reply. */
  failed(claim: UnansweredClaim): void {
    claim.calls -= 1;
  }

  /** Notes that a caller has got its segment, and repeats no claim. */
  abandon({ tag, token }: SegmentClaim): void {
    for (const claim of this.byTag.get(tag) ?? []) if (claim.caller === token) claim.caller = undefined;
  }

  /** Begins a call for each claim of a tag that nobody repeats. */
  beginAbandoned(tag: string): readonly UnansweredClaim[] {
    const free = [...(this.byTag.get(tag) ?? [])].filter(isFree);
    for (const claim of free) claim.calls += 1;
    return free;
  }

  private make(caller: string, count: number): UnansweredClaim {
    this.made += 1;
    return { token: `${caller}.${this.made}${this.suffix}`, count, caller, calls: 0 };
  }
}

function isFree({ caller, calls }: UnansweredClaim): boolean {
  return caller === undefined && calls === 0;
}
