import type { FieldReader } from 'nestjs-snowflake/internal/stores/remote/field-reader';
import type {
  ClaimReply,
  LossReason,
  Refusal,
  ResumeReply,
  ReturnReply,
  StoreSnapshot,
  TagReply,
  TagSnapshot,
} from '../store/segment-store.js';

/** Converts the reply to a claim. @throws StoreRejectedError if no service sends it */
export function toClaimReply(read: FieldReader): ClaimReply {
  const outcome = read.text('outcome');
  switch (outcome) {
    case 'granted':
      return {
        outcome,
        token: read.text('token'),
        first: read.number('first'),
        count: read.number('count'),
        step: read.number('step'),
      };
    case 'spent':
    case 'unknown-tag':
    case 'ended':
      return { outcome };
    case 'stride':
      return { outcome, stored: read.text('stored'), own: read.text('own') };
    case 'lost':
      return toRefusal(read);
    default:
      return read.refuse();
  }
}

/** Converts the replies to returns. @throws StoreRejectedError if no service sends them */
export function toReturnReplies(read: FieldReader, count: number): readonly ReturnReply[] {
  const replies = read.list('replies', toReturnReply);
  return replies.length === count ? replies : read.refuse();
}

/** Converts the reply to a new tag. @throws StoreRejectedError if no service sends it */
export function toTagReply(read: FieldReader): TagReply {
  const outcome = read.text('outcome');
  if (outcome === 'created' || outcome === 'exists') return { outcome };
  return outcome === 'lost' ? toRefusal(read) : read.refuse();
}

/** Converts the reply to a resumption. @throws StoreRejectedError if no service sends it */
export function toResumeReply(read: FieldReader): ResumeReply {
  const outcome = read.text('outcome');
  if (outcome === 'resumed') return { outcome };
  return outcome === 'missing' ? { outcome, tags: read.texts('tags') } : read.refuse();
}

/** Converts the tags of a store. @throws StoreRejectedError if no service sends them */
export function toSnapshot(read: FieldReader): StoreSnapshot {
  const tags = read.list('tags', toTag);
  return read.field('lost') === undefined ? { tags } : { lost: lossIn(read, 'lost'), tags };
}

function toReturnReply(read: FieldReader): ReturnReply {
  const outcome = read.text('outcome');
  return outcome === 'returned' || outcome === 'unknown' ? { outcome } : read.refuse();
}

function toRefusal(read: FieldReader): Refusal {
  return { outcome: 'lost', reason: lossIn(read, 'reason') };
}

function lossIn(read: FieldReader, field: string): LossReason {
  const reason = read.text(field);
  return reason === 'history' || reason === 'restored' || reason === 'replaced' ? reason : read.refuse();
}

function toTag(read: FieldReader): TagSnapshot {
  return {
    tag: read.text('tag'),
    next: read.number('next'),
    step: read.number('step'),
    rests: read.list('rests', (rest) => ({ first: rest.number('first'), count: rest.number('count') })),
    held: read.list('held', (held) => ({
      token: held.text('token'),
      first: held.number('first'),
      count: held.number('count'),
    })),
  };
}
