import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CliEnd, runCli, runSeveral } from './run-cli.js';
import { cleanUpAfterAll, temporaryFolder } from '../../../test/support/clean-up.js';

const OPTIONS = `{ epoch: '2020-01-01', layout: { workerBits: 8, sequenceBits: 14 }, store: {} }`;
/** What the ID below decodes to with these options. */
const DECODED = { timestamp: '2022-11-21T10:19:57.897Z', workerId: 4, sequence: 4098 };
const ID = '382475217496248322';

/** Modules whose options can be read. */
const FINE: readonly { readonly name: string; readonly text: string; readonly chosen?: string }[] = [
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
];

/** Modules whose options can't be read. */
const WRONG: readonly {
  readonly name: string;
  readonly text: string;
  readonly chosen?: string;
  readonly problem: string;
}[] = [
  { name: 'several.mjs', text: 'export const a = {}, b = {};', problem: 'It has: a, b.' },
  { name: 'none.mjs', text: 'export {};', problem: 'It has: none.' },
  { name: 'wrong.mjs', text: 'export default {};', chosen: '#audit', problem: 'has no export audit' },
  { name: 'number.mjs', text: 'export default 7;', problem: 'exports neither an object' },
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
    name: 'secret.mjs',
    text: 'export default () => { throw new Error("no access: redis://app:s3cret@db:6379"); };',
    problem: 'no access',
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
];

const BOTH: readonly (readonly [flags: readonly string[], decoded: object])[] = [
  [['--epoch', '2021-01-01'], { ...DECODED, timestamp: '2023-11-22T10:19:57.897Z' }],
  [['--layout', '41/10/12'], { timestamp: '2022-11-21T10:19:57.897Z', workerId: 17 }],
  [['--layout', 'twitter'], { timestamp: '2013-09-24T12:02:52.554Z' }],
];

const folder = temporaryFolder(cleanUpAfterAll());

function write(name: string, text: string): void {
  mkdirSync(join(folder, 'dist'), { recursive: true });
  writeFileSync(join(folder, 'dist', name), text);
}

const decodeWith = (reference: string, ...flags: readonly string[]): readonly string[] =>
  ['decode', '--json', '--options', reference].concat(flags, ID);

describe('the options of an app, which a command reads from a module', () => {
  const ends = new Map<string, CliEnd>();
  const endOf = (name: string): CliEnd => ends.get(name)!;
  beforeAll(async () => {
    const modules = [...FINE, ...WRONG];
    for (const { name, text } of modules) write(name, text);
    const commandLines = [
      ...modules.map(({ name, chosen = '' }) => [name, decodeWith(`dist/${name}${chosen}`)] as const),
      ...BOTH.map(([flags]) => [flags.join(' '), decodeWith('dist/default.mjs', ...flags)] as const),
      ['no-such.js', decodeWith('no-such.js')] as const,
    ];
    const ended = await runSeveral(
      commandLines.map(([, line]) => line),
      { cwd: folder },
    );
    for (const [index, [name]] of commandLines.entries()) ends.set(name, ended[index]!);
  });

  it.each(FINE)('reads the options of $name', ({ name }) => {
    const { code, stdout, stderr } = endOf(name);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject(DECODED);
  });

  it.each(BOTH)('prefers %j to the options of the module', (flags, decoded) => {
    expect(JSON.parse(endOf(flags.join(' ')).stdout)).toMatchObject(decoded);
  });

  it.each(WRONG)(
    'refuses $name with exit code 2, and shows no stack and no password',
    ({ name, problem }) => {
      const { code, stdout, stderr } = endOf(name);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(problem);
      expect(stderr).toContain('[SNOWFLAKE_INVALID_OPTION]');
      expect(stderr).not.toMatch(/^\s+at /m);
      expect(stderr).not.toContain('s3cret');
    },
  );

  it('refuses a file that does not exist', () => {
    const { code, stderr } = endOf('no-such.js');
    expect(code).toBe(2);
    expect(stderr).toContain('--options is not a file');
  });

  it('ends the program although the module keeps its process alive', async () => {
    write('handle.mjs', `setInterval(() => {}, 1000); export default ${OPTIONS};`);
    const { code, stdout, stderr } = await runCli(decodeWith('dist/handle.mjs'), { cwd: folder });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject(DECODED);
  });

  it('ends the program with the error of a module that fails beside the command, without its password', async () => {
    const text = `setImmediate(() => { throw new Error('lost redis://app:s3cret@db:6379'); });
      export default () => new Promise(() => { setInterval(() => {}, 1000); });`;
    write('late.mjs', text);
    const { code, stderr } = await runCli(decodeWith('dist/late.mjs'), { cwd: folder });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: lost redis:\/\/\*\*\*@db:6379\n$/);
  });
});
