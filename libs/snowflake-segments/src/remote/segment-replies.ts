import {
  CLAIM_REPLIES,
  RESUME_REPLIES,
  RETURN_REPLIES,
  TAG_REPLIES,
  TAGS,
} from 'nestjs-snowflake/internal/kit/segment-fields';
import type { ReplyReader } from 'nestjs-snowflake/internal/stores/remote/reply-reader';
import type {
  ClaimReply,
  ResumeReply,
  ReturnReply,
  StoreSnapshot,
  TagReply,
} from '../store/segment-store.js';

/** Converts the reply to a claim. @throws StoreRejectedError if no service sends it */
export const toClaimReply = (read: ReplyReader): ClaimReply => read.reply(CLAIM_REPLIES);

/** Converts the replies to returns. @throws StoreRejectedError if no service sends them */
export function toReturnReplies(read: ReplyReader, count: number): readonly ReturnReply[] {
  const { replies } = read.object<{ readonly replies: readonly ReturnReply[] }>(RETURN_REPLIES.properties);
  return replies.length === count ? replies : read.refuse();
}

/** Converts the reply to a new tag. @throws StoreRejectedError if no service sends it */
export const toTagReply = (read: ReplyReader): TagReply => read.reply(TAG_REPLIES);

/** Converts the reply to a resumption. @throws StoreRejectedError if no service sends it */
export const toResumeReply = (read: ReplyReader): ResumeReply => read.reply(RESUME_REPLIES);

/** Converts the tags of a store. @throws StoreRejectedError if no service sends them */
export const toSnapshot = (read: ReplyReader): StoreSnapshot => read.object(TAGS.properties, TAGS.optional);
