const { declareTests } = require('../support/tests.cjs');

declareTests({
  it,
  testFile: __filename,
  freeze: () => jest.useFakeTimers({ now: new Date('2026-01-01') }),
  thaw: () => jest.useRealTimers(),
  matchSnapshot: (ids) => expect(ids).toMatchSnapshot(),
});
