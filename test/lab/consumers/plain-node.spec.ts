import { packLibrary } from '../long/packaging/packed-library.js';
import { Consumer, STEP_WITHIN_MS, warningsOfOurs } from './consumer.js';

let tarball: string;
const consumers: Consumer[] = [];

function consumer(app: string): Consumer {
  const made = new Consumer(app);
  consumers.push(made);
  return made;
}

beforeAll(async () => {
  ({ path: tarball } = await packLibrary());
}, STEP_WITHIN_MS);
afterAll(() => {
  for (const made of consumers) made.remove();
}, STEP_WITHIN_MS);

describe('scripts on plain Node', () => {
  let script: Consumer;
  beforeAll(async () => {
    script = consumer('plain-node');
    expect(warningsOfOurs(await script.install(tarball))).toEqual([]);
  }, STEP_WITHIN_MS);

  it('install no package of Nest', async () => {
    const { stdout } = await script.run(process.execPath, '-p', "fs.readdirSync('node_modules').join(' ')");
    expect(stdout).toContain('nestjs-snowflake');
    expect(stdout).not.toMatch(/@nestjs|rxjs|reflect-metadata/);
  });

  it.each([
    ['CommonJS', 'use.cjs', 3],
    ['an ES module', 'use.mjs', 4],
  ])('run from %s', async (_kind, file, workerId) => {
    const { stdout, stderr } = await script.run(process.execPath, file);
    expect(JSON.parse(stdout)).toEqual({ workerId });
    expect(stderr).toBe('');
  });
});
