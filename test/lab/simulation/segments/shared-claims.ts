import type { SegmentClaim } from '../../../../libs/snowflake-segments/src/store/segment-store.js';
import {
  type UnansweredClaim,
  UnansweredClaims,
} from '../../../../libs/snowflake-segments/src/sql/unanswered-claims.js';

/** What a store of several databases must not do: gives the claim of a caller to another one. */
export class SharedClaims extends UnansweredClaims {
  private readonly byOneTag = new Map<string, UnansweredClaim>();

  override begin({ tag, token, count }: SegmentClaim): UnansweredClaim {
    const claim = this.byOneTag.get(tag) ?? super.begin({ tag, token, count, finished: [] });
    this.byOneTag.set(tag, claim);
    return claim;
  }

  override answered(tag: string): void {
    this.byOneTag.delete(tag);
  }
}
