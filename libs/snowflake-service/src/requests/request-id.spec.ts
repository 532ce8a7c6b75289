import { requestIdOf } from './request-id.js';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${TRACE_ID}-00f067aa0ba902b7-01`;
const authorization = 'Bearer a-token-for-everything-1';

describe('the ID by which logs name a request [promise: secrets]', () => {
  it.each([
    ['that of the client before all others', { 'x-request-id': 'call-1', traceparent }, 'req-1', 'call-1'],
    ['that of its trace before that of the server', { traceparent }, 'req-1', TRACE_ID],
    ['that of the server', {}, 'req-1', 'req-1'],
    ['that of pino-http, which counts', {}, 7, '7'],
    ['nothing without any of them', {}, undefined, undefined],
    ['no line break', { 'x-request-id': 'one\nERROR two' }, 'req-1', 'req-1'],
    ['no text that is too long', { 'x-request-id': 'x'.repeat(129) }, 'req-1', 'req-1'],
    ['no header that was sent twice', { 'x-request-id': ['one', 'two'] }, undefined, undefined],
    ['no object', {}, { toString: () => 'x' }, undefined],
    ['no trace of another form', { traceparent: `00-${TRACE_ID.slice(1)}-x` }, undefined, undefined],
    [
      'no token that a client sends as such',
      { authorization, 'x-request-id': 'a-token-for-everything-1' },
      undefined,
      undefined,
    ],
  ])('is %s', (_, headers: Record<string, string | string[]>, id: unknown, expected) => {
    expect(requestIdOf({ headers, id })).toBe(expected);
  });
});
