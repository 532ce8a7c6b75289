import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CliEnd, runCli } from './run-cli.js';

const OPTIONS = `{ epoch: '2020-01-01', layout: { workerBits: 8, sequenceBits: 14 }, store: {} }`;
/** What the ID below decodes to with these options. */
const DECODED = { timestamp: '2022-11-21T10:19:57.897Z', workerId: 4, sequence: 4098 };
const ID = '382475217496248322';

const folder = mkdtempSync(join(tmpdir(), 'snowflake-options-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Decodes with a module as the options of the app. */
async function decodeWith(
  name: string,
  text: string,
  exportName = '',
  env: NodeJS.ProcessEnv = {},
): Promise<CliEnd> {
  mkdirSync(join(folder, 'dist'), { recursive: true });
  writeFileSync(join(folder, 'dist', name), text);
  return runCli(['decode', '--json', '--options', `dist/${name}${exportName}`, ID], { cwd: folder, env });
}

describe('the options of an app', () => {
  it.each([
    { name: 'default.mjs', text: `export default ${OPTIONS};` },
    { name: 'named.mjs', text: `export const other = {}; export const snowflakeOptions = ${OPTIONS};` },
    { name: 'only.mjs', text: `export const settings = ${OPTIONS};` },
    { name: 'chosen.mjs', text: `export default {}; export const audit = ${OPTIONS};`, chosen: '#audit' },
    { name: 'function.mjs', text: `export default () => (${OPTIONS});` },
    { name: 'async.mjs', text: `export const snowflakeOptions = async () => (${OPTIONS});` },
    { name: 'awaited.mjs', text: `export const snowflakeOptions = Promise.resolve(${OPTIONS});` },
    { name: 'plain.cjs', text: `module.exports = { snowflakeOptions: ${OPTIONS}, other: 1 };` },
    { name: 'whole.cjs', text: `module.exports = () => (${OPTIONS});` },
    {
      name: 'typescript.cjs',
      text: `Object.defineProperty(exports, '__esModule', { value: true }); exports.default = ${OPTIONS};`,
    },
    {
      name: 'typescript-named.cjs',
      text: `Object.defineProperty(exports, '__esModule', { value: true });
        exports.ordersOptions = () => (${OPTIONS}); exports.audit = {};`,
      chosen: '#ordersOptions',
    },
    { name: 'handle.mjs', text: `setInterval(() => {}, 1000); export default ${OPTIONS};` },
  ])('are read from $name', async ({ name, text, chosen }) => {
    const { code, stdout, stderr } = await decodeWith(name, text, chosen);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject(DECODED);
  });

  it('come after --layout and --epoch', async () => {
    await decodeWith('both.mjs', `export default ${OPTIONS};`);
    const args = ['decode', '--json', ID, '--options', 'dist/both.mjs'];
    const epoch = await runCli([...args, '--epoch', '2021-01-01'], { cwd: folder });
    expect(JSON.parse(epoch.stdout)).toMatchObject({ ...DECODED, timestamp: '2023-11-22T10:19:57.897Z' });
    const layout = await runCli([...args, '--layout', '41/10/12'], { cwd: folder });
    expect(JSON.parse(layout.stdout)).toMatchObject({ timestamp: '2022-11-21T10:19:57.897Z', workerId: 17 });
    const preset = await runCli([...args, '--layout', 'twitter'], { cwd: folder });
    expect(JSON.parse(preset.stdout)).toMatchObject({ timestamp: '2013-09-24T12:02:52.554Z' });
  });

  it.each([
    { name: 'several.mjs', text: 'export const a = {}, b = {};', problem: 'It has: a, b.' },
    { name: 'none.mjs', text: 'export {};', problem: 'It has: none.' },
    { name: 'wrong.mjs', text: 'export default {};', chosen: '#audit', problem: 'has no export audit' },
    { name: 'number.mjs', text: 'export default 7;', problem: 'does not export an object' },
    {
      name: 'layout.mjs',
      text: 'export default { layout: { workerBits: 64 } };',
      problem: 'layout.workerBits',
    },
    {
      name: 'throws.mjs',
      text: 'export default () => { throw new Error("no DATABASE_URL"); };',
      problem: 'throws: no DATABASE_URL',
    },
    {
      name: 'broken.mjs',
      text: 'import "not-installed-here";',
      problem: "can't be loaded: Cannot find package",
    },
    {
      name: 'app.options.ts',
      text: 'enum Kind { A }; export default {};',
      problem: 'Pass the JavaScript file that your build writes.',
    },
  ])('are refused with exit code 2: $name', async ({ name, text, chosen, problem }) => {
    const { code, stdout, stderr } = await decodeWith(name, text, chosen);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(problem);
    expect(stderr).toContain('[SNOWFLAKE_INVALID_OPTION]');
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('are not shown with a password in them', async () => {
    const text = 'export default () => { throw new Error("no access: redis://app:s3cret@db:6379"); };';
    const { stderr } = await decodeWith('secret.mjs', text);
    expect(stderr).toContain('no access');
    expect(stderr).not.toContain('s3cret');
  });

  it('can fail beside the command, which says so', async () => {
    const text = `setImmediate(() => { throw new Error('lost redis://app:s3cret@db:6379'); });
      export default () => new Promise(() => { setInterval(() => {}, 1000); });`;
    const { code, stderr } = await decodeWith('late.mjs', text);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: lost redis:\/\/\*\*\*@db:6379\n$/);
  });

  it('must be in a file', async () => {
    const { code, stderr } = await runCli(['decode', '--options', 'no-such.js', ID], { cwd: folder });
    expect(code).toBe(2);
    expect(stderr).toContain('--options is not a file');
  });
});
