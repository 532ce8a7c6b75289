import { VirtualClock } from '../../../snowflake/src/stores/port/virtual-clock.js';
import type { WatchEvent } from '../api/console-api.js';
import { MAX_LISTENING_MS, READ_EVERY_MS, Watch } from './watch.js';

const A_MINUTE_MS = 60_000;

function watching(read: (count: number) => Promise<WatchEvent> = async () => ({ makers: [] })) {
  const clock = new VirtualClock();
  const state = { readings: 0 };
  const watch = new Watch(() => read(++state.readings), clock, 2);
  const listener = () => {
    const received: string[] = [];
    const leave = watch.listen({ send: (text) => received.push(text) > 0, end: () => received.push('end') });
    return { received, leave };
  };
  return { clock, state, watch, listener };
}

const eventsOf = (received: readonly string[]): number =>
  received.filter((text) => /^event: (watch|change)/.test(text)).length;

describe('the readings of a watch', () => {
  it('reads the store only while somebody watches', async () => {
    const { clock, state, listener } = watching();
    await clock.advance(A_MINUTE_MS);
    expect(state.readings).toBe(0);
    const { leave } = listener();
    await clock.advance(A_MINUTE_MS);
    const { readings } = state;
    expect(readings).toBeGreaterThan(10);
    leave();
    await clock.advance(A_MINUTE_MS);
    expect(state.readings).toBe(readings);
  });

  it('reads the store once for all listeners, and sends a late one the last reading at once', async () => {
    const { clock, state, listener } = watching();
    const first = listener();
    await clock.advance(10 * READ_EVERY_MS);
    const second = listener();
    expect(eventsOf(second.received)).toBe(1);
    expect(eventsOf(first.received)).toBe(state.readings);
  });

  it('sends only what has changed, and a whole event again to a listener that has missed one', async () => {
    const { clock, watch } = watching(async (count) => ({ makers: [{ name: 'a', hostNowMs: count }] }));
    const received: string[] = [];
    let isSlow = false;
    const send = (text: string): boolean => {
      if (!isSlow) received.push(text);
      return !isSlow;
    };
    watch.listen({ send, end: () => undefined });
    await clock.advance(1.5 * READ_EVERY_MS);
    isSlow = true;
    await clock.advance(READ_EVERY_MS);
    isSlow = false;
    await clock.advance(2 * READ_EVERY_MS);
    expect(received.map((text) => text.trim().replaceAll('\n', ' '))).toEqual([
      'event: watch data: {"makers":[{"name":"a","hostNowMs":1}]}',
      'event: change data: {"makers":{"0":{"hostNowMs":2}}}',
      'event: watch data: {"makers":[{"name":"a","hostNowMs":4}]}',
      'event: change data: {"makers":{"0":{"hostNowMs":5}}}',
    ]);
  });

  it('continues after a failed reading', async () => {
    const { clock, listener } = watching((count) =>
      count === 1 ? Promise.reject(new Error('broken')) : Promise.resolve({ makers: [] }),
    );
    const { received } = listener();
    await clock.advance(READ_EVERY_MS - 1);
    expect(eventsOf(received)).toBe(0);
    await clock.advance(READ_EVERY_MS);
    expect(eventsOf(received)).toBeGreaterThan(0);
  });

  it('reads less often while the store is slow, so that renewals are not delayed', async () => {
    const { clock, state, listener } = watching(
      () =>
        new Promise((resolve) => {
          clock.schedule(1000, () => resolve({ makers: [] }));
        }),
    );
    listener();
    await clock.advance(A_MINUTE_MS);
    expect(state.readings).toBe(13);
  });

  it('never starts two readings at a time', async () => {
    const { clock, state, listener } = watching(() => new Promise(() => undefined));
    const first = listener();
    first.leave();
    listener();
    await clock.advance(A_MINUTE_MS);
    expect(state.readings).toBe(1);
  });
});

describe('the listeners of a watch', () => {
  it('keeps the connection alive while a reading takes long', async () => {
    const { clock, listener } = watching(() => new Promise(() => undefined));
    const { received } = listener();
    await clock.advance(A_MINUTE_MS);
    expect(received.filter((text) => /^:.*\n\n$/.test(text))).not.toEqual([]);
  });

  it('limits the number of listeners, and admits another one after one has left', () => {
    const { watch, listener } = watching();
    const { leave } = listener();
    listener();
    expect(watch.refusal).toBe('full');
    expect(listener().received).toEqual(['end']);
    leave();
    expect(watch.refusal).toBeUndefined();
  });

  it('makes listeners reconnect after a while, so that their authorization is checked again', async () => {
    const { clock, watch, listener } = watching();
    const { received } = listener();
    await clock.advance(MAX_LISTENING_MS - 1);
    expect(received).not.toContain('end');
    await clock.advance(1);
    expect(received.slice(-2)).toEqual(['event: renew\ndata: {}\n\n', 'end']);
    listener();
    expect(watch.refusal).toBeUndefined();
  });

  it('ends all listeners when the console closes, and admits none after that', () => {
    const { watch, listener } = watching();
    const [one, other] = [listener(), listener()];
    watch.close();
    expect([one.received, other.received, listener().received]).toEqual([['end'], ['end'], ['end']]);
    expect(watch.refusal).toBe('closed');
  });
});
