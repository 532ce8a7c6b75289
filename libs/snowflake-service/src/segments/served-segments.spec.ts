import { memorySegmentStore, Segments } from 'nestjs-snowflake-segments';
import { StoreUnavailableError } from 'nestjs-snowflake/store';
import { ServedSegments } from './served-segments.js';

const LONG_MS = 5000;
const SHORT_MS = 100;

describe('the segments that a service serves', () => {
  const store = memorySegmentStore();
  let fault: Error | undefined;
  const faulty = Object.assign(Object.create(store) as typeof store, {
    claim: (...given: Parameters<typeof store.claim>) =>
      fault ? Promise.reject(fault) : store.claim(...given),
  });
  const segments = new Segments({ store: faulty, tags: ['ticket'], minStep: 2 });
  const served = new ServedSegments(async () => segments, { maxCount: 1000, callTimeoutMs: LONG_MS });

  beforeAll(() => segments.start());
  afterAll(() => segments.stop());

  it('issue each number once, in ascending order', async () => {
    const answers = [await served.next('ticket', 1, LONG_MS), await served.next('ticket', 3, LONG_MS)];
    expect(answers).toEqual([['1'], ['2', '3', '4']]);
  });

  it('wait for numbers that are being claimed', async () => {
    await expect(served.next('ticket', 1000, LONG_MS)).resolves.toHaveLength(1000);
  });

  it('create no source for a name that the app does not use', async () => {
    await expect(served.next('invoice', 1, LONG_MS)).rejects.toMatchObject({
      code: 'SNOWFLAKE_UNKNOWN_NAME',
    });
    expect(segments.tags).toEqual(['ticket']);
  });

  it('have no tag if the app has no segments', async () => {
    const none = new ServedSegments(async () => undefined, { maxCount: 1000, callTimeoutMs: LONG_MS });
    await expect(none.next('ticket', 1, LONG_MS)).rejects.toMatchObject({ code: 'SNOWFLAKE_UNKNOWN_NAME' });
  });

  it.each([0, -1, 1.5, 1001, Number.NaN])('refuse a count of %d', async (count) => {
    await expect(served.next('ticket', count, LONG_MS)).rejects.toMatchObject({
      code: 'SNOWFLAKE_INVALID_REQUEST',
    });
  });

  it('refuse at once while claims fail, and issue numbers again when they succeed', async () => {
    fault = new StoreUnavailableError('no connection');
    const whileFailing = async (): Promise<unknown> => {
      for (;;) await served.next('ticket', 100, SHORT_MS);
    };
    await expect(whileFailing()).rejects.toMatchObject({
      code: 'SNOWFLAKE_SEGMENT_EXHAUSTED',
      retryable: true,
    });
    fault = undefined;
    await segments.source('ticket').ready();
    await expect(served.next('ticket', 1, LONG_MS)).resolves.toHaveLength(1);
  });
});
