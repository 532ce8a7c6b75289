import { ReplyReader } from 'nestjs-snowflake/internal/stores/remote/reply-reader';
import { toClaimReply, toResumeReply, toReturnReplies, toSnapshot, toTagReply } from './segment-replies.js';

const read = (reply: unknown): ReplyReader => new ReplyReader(reply, 'remote namespace "shop"');
const GRANTED = { outcome: 'granted', token: 'a', first: 1, count: 10, step: 1000 };

describe('the replies of a service to a remote segment store', () => {
  it('keep what the port defines, and nothing else', () => {
    expect(toClaimReply(read({ ...GRANTED, more: 1 }))).toEqual(GRANTED);
    expect(toClaimReply(read({ outcome: 'lost', reason: 'restored' }))).toEqual({
      outcome: 'lost',
      reason: 'restored',
    });
  });

  it.each([
    ['a claim without an outcome', () => toClaimReply(read({}))],
    ['a claim with another outcome', () => toClaimReply(read({ outcome: 'kept' }))],
    ['a grant without a number', () => toClaimReply(read({ ...GRANTED, first: undefined }))],
    ['a grant of text', () => toClaimReply(read({ ...GRANTED, first: '1' }))],
    ['a grant of a rounded number', () => toClaimReply(read({ ...GRANTED, first: 2 ** 53 }))],
    ['a loss for another reason', () => toClaimReply(read({ outcome: 'lost', reason: 'bored' }))],
    ['a reply that is no object', () => toClaimReply(read(undefined))],
    ['fewer replies than returns', () => toReturnReplies(read({ replies: [] }), 1)],
    ['a return with another outcome', () => toReturnReplies(read({ replies: [{ outcome: 'ok' }] }), 1)],
    ['a tag with another outcome', () => toTagReply(read({ outcome: 'resumed' }))],
    ['missing tags that are no texts', () => toResumeReply(read({ outcome: 'missing', tags: [1] }))],
    ['tags that are no list', () => toSnapshot(read({ tags: {} }))],
  ])('fail for good if they contain %s', (_, convert) => {
    expect(convert).toThrow(expect.objectContaining({ code: 'SNOWFLAKE_STORE_REJECTED' }));
  });
});
