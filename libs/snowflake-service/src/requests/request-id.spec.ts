import { requestIdOf } from './request-id.js';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${TRACE_ID}-00f067aa0ba902b7-01`;
const authorization = 'Bearer a-token-for-everything-1';

describe('the ID by which logs name a request [promise: secrets]', () => {
  it.each([
    ['comes from the client before all others', { 'x-request-id': 'call-1', traceparent }, 'req-1', 'call-1'],
    ['comes from the trace before the server', { traceparent }, 'req-1', TRACE_ID],
    ["comes from the server without a client's", {}, 'req-1', 'req-1'],
    ['comes from the counter of pino-http as text', {}, 7, '7'],
    ['stays undefined without any of them', {}, undefined, undefined],
    ['contains no line break', { 'x-request-id': 'one\nERROR two' }, 'req-1', 'req-1'],
    ['contains no more than 128 characters', { 'x-request-id': 'x'.repeat(129) }, 'req-1', 'req-1'],
    ['comes from no header that was sent twice', { 'x-request-id': ['one', 'two'] }, undefined, undefined],
    ['comes from no object', {}, { toString: () => 'x' }, undefined],
    [
      'comes from no trace of another form',
      { traceparent: `00-${TRACE_ID.slice(1)}-x` },
      undefined,
      undefined,
    ],
    [
      'contains no token that a client sends as such',
      { authorization, 'x-request-id': 'a-token-for-everything-1' },
      undefined,
      undefined,
    ],
  ])('%s', (_, headers: Record<string, string | string[]>, id: unknown, expected) => {
    expect(requestIdOf({ headers, id })).toBe(expected);
  });
});
