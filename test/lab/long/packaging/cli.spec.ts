import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packCli, packLibrary } from './packed-library.js';

const NPM_WITHIN_MS = 300_000;
const QUIET = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts'];
const DECODE = ['nestjs-snowflake', 'decode', '--json', '382475217496248322'];
const DECODED = { id: '382475217496248322', workerId: 17, sequence: 2 };

const run = promisify(execFile);
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'snowflake-cli-')));
/** Has the program and the library, and no package that they only can use. */
const project = join(folder, 'project');
let tarballs: readonly string[];

beforeAll(async () => {
  tarballs = [(await packLibrary()).path, (await packCli()).path];
}, NPM_WITHIN_MS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a program in a folder. Resolves to what it prints. */
async function runIn(cwd: string, program: string, args: readonly string[]): Promise<string> {
  const env = { ...process.env, NODE_OPTIONS: '', NODE_PATH: '' };
  return (await run(program, args, { cwd, env, timeout: NPM_WITHIN_MS })).stdout;
}

function setType(type: string): void {
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'user', version: '1.0.0', type }));
}

describe('npx nestjs-snowflake-cli', () => {
  beforeAll(async () => {
    mkdirSync(project);
    setType('module');
    await runIn(project, 'npm', ['install', ...QUIET, '--legacy-peer-deps', ...tarballs]);
  }, NPM_WITHIN_MS);

  it.each(['module', 'commonjs'])(
    'runs in a project of the type %s, with its options',
    async (type) => {
      setType(type);
      expect(JSON.parse(await runIn(project, 'npx', ['--no', ...DECODE]))).toMatchObject(DECODED);
      const exported = type === 'module' ? 'export default' : 'module.exports =';
      writeFileSync(join(project, 'app.options.js'), `${exported} { layout: 'jsSafe53' };\n`);
      const args = ['--no', 'nestjs-snowflake', 'decode', '--json', '--options', 'app.options.js', '4098'];
      expect(JSON.parse(await runIn(project, 'npx', args))).toMatchObject({
        tick: 1,
        workerId: 0,
        sequence: 2,
      });
    },
    2 * NPM_WITHIN_MS,
  );

  it(
    'runs in a folder without a project',
    async () => {
      const empty = join(folder, 'empty');
      mkdirSync(empty);
      const stdout = await runIn(empty, 'npx', [
        '--yes',
        ...tarballs.flatMap((path) => ['--package', path]),
        ...DECODE,
      ]);
      expect(JSON.parse(stdout)).toMatchObject(DECODED);
      expect(readdirSync(empty)).toEqual([]);
    },
    NPM_WITHIN_MS,
  );

  it(
    'runs with nothing but its dependencies',
    async () => {
      const packages = readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'));
      expect(packages.sort()).toEqual(['commander', 'nestjs-snowflake', 'nestjs-snowflake-cli', 'semver']);
      const main = join(project, 'node_modules/nestjs-snowflake-cli/dist/main.js');
      expect(statSync(main).mode & 0o111).toBe(0o111);
      expect(readFileSync(main, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
      const [, ...args] = DECODE;
      const stdout = await runIn(project, join(project, 'node_modules/.bin/nestjs-snowflake'), args);
      expect(JSON.parse(stdout)).toMatchObject(DECODED);
    },
    NPM_WITHIN_MS,
  );

  it(
    'prints what to install if a command needs ioredis',
    async () => {
      const command = ['nestjs-snowflake', 'workers', '--redis', 'redis://localhost', '--namespace', 'shop'];
      await expect(runIn(project, 'npx', ['--no', ...command])).rejects.toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining('nestjs-snowflake-cli ioredis. Anywhere else'),
      });
    },
    NPM_WITHIN_MS,
  );
});
