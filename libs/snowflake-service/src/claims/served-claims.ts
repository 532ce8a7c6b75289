import type {
  ClaimReply,
  ResumeReply,
  ReturnReply,
  SegmentClaim,
  SegmentReturn,
  SegmentStore,
  StoreSnapshot,
  TagReply,
  TagRequest,
} from 'nestjs-snowflake-segments/store';
import { ServedStores } from '../stores/served-stores.js';

/** The stores from which clients claim segments through the service, by the names of their namespaces. */
export class ServedClaims extends ServedStores<SegmentStore> {
  /** @param timeoutMs how long the client waits */
  claim(name: string, claim: SegmentClaim, timeoutMs: number): Promise<ClaimReply> {
    return this.call(name, timeoutMs, (store, deadline) => store.claim(claim, deadline));
  }

  /** If one of the returns fails, the client repeats all, which changes nothing for the others. */
  returnRemainders(
    name: string,
    rests: readonly SegmentReturn[],
    timeoutMs: number,
  ): Promise<readonly ReturnReply[]> {
    return this.call(name, timeoutMs, async (store, deadline) => {
      if (!store.returnRemainders)
        return Promise.all(rests.map((rest) => store.returnRemainder(rest, deadline)));
      const outcomes = await store.returnRemainders(rests, deadline);
      return outcomes.map((outcome) => {
        if (outcome.status === 'rejected') throw outcome.reason;
        return outcome.value;
      });
    });
  }

  create(name: string, tag: TagRequest, timeoutMs: number): Promise<TagReply> {
    return this.call(name, timeoutMs, (store, deadline) => store.create(tag, deadline));
  }

  resume(name: string, highest: Readonly<Record<string, number>>, timeoutMs: number): Promise<ResumeReply> {
    return this.call(name, timeoutMs, (store) => store.resume(highest));
  }

  inspect(name: string, timeoutMs: number): Promise<StoreSnapshot> {
    return this.read(name, timeoutMs, (store) => store.inspect());
  }
}
