import { compareSearches, compareWithModel } from '../../../integration/redis-store/compare-with-model.js';
import { VirtualServer } from '../../../integration/redis-store/virtual-server.js';
import { labRuns } from '../../../support/differential/play-runs.js';
import { EVERY_OUTCOME } from '../../../support/differential/steps.js';
import { startRedis, type RedisServer } from '../../../support/servers/index.js';

const RUNS = labRuns(60);

let server: RedisServer;
let virtual: VirtualServer;

beforeAll(async () => {
  server = await startRedis();
  virtual = new VirtualServer(server, 'differential');
});
afterAll(async () => {
  await virtual.close();
  await server.stop();
});

describe('the Lua scripts and the model, with values that differ from run to run', () => {
  it(
    'answers and stores the same as the model, step by step, with few worker IDs',
    async () => expect(await compareWithModel(virtual, RUNS)).toEqual(EVERY_OUTCOME),
    60_000 + 2000 * RUNS.numRuns,
  );

  it('answers and stores the same as the model beyond 1,024 worker IDs', async () =>
    expect(compareSearches(virtual, { numRuns: 16 })).resolves.toBeUndefined());
});
