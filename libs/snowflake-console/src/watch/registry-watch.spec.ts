import { registryWatch } from './registry-watch.js';

describe('a registry that is watched', () => {
  it('shows no other fencing token after a renewal, which is no takeover', () => {
    const range = { first: 0, total: 4 };
    const shown = ['12:web-1@7', '12:web-1@7~1~ab', '12:web-1@7~2~cd'].map(
      (fencingToken) =>
        registryWatch({ storeNowMs: 10, rows: [{ workerId: 0, reservedUntilMs: 20, fencingToken }] }, range)
          .workers[0],
    );
    expect(new Set(shown.map((worker) => worker?.fencingToken))).toEqual(new Set(['12:web-1@7']));
    expect(new Set(shown.map((worker) => worker?.holder))).toEqual(new Set(['web-1']));
  });

  it('shows how many processes wait, and in whole seconds for how long, if the store can tell', () => {
    const range = { first: 0, total: 4 };
    const shown = (waiting: object) => registryWatch({ storeNowMs: 10, rows: [], ...waiting }, range);
    expect(shown({ waiting: 12, longestWaitMs: 8_400 })).toMatchObject({
      waiting: 12,
      longestWaitSeconds: 8,
    });
    expect(shown({ waiting: 12 })).not.toHaveProperty('longestWaitSeconds');
    for (const nobody of [{ waiting: 0 }, {}]) expect(shown(nobody)).not.toHaveProperty('waiting');
  });
});
