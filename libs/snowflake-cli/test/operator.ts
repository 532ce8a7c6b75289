import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Finding } from '../src/commands/doctor/findings.js';
import { type CliEnd, type CliRun, runCli, runSeveral } from './run-cli.js';
import { runHere } from './run-here.js';

/** A password of every test here: no output may show it, in any spelling. */
export const PASSWORD = 'k7Xq.42%sesame';
export const PASSWORD_IN_URL = encodeURIComponent(PASSWORD);

const NOBODY = 65_534;
/** No particular environment, and the true time. */
const PLAIN = { NODE_OPTIONS: '', NODE_ENV: '' };
const LOADS_A_FILE = new Set(['--options', '--data-source']);
const LIBRARY = new URL('../../snowflake/dist/esm/', import.meta.url);
const PROGRAM = new URL('../dist/', import.meta.url);
const MANIFEST = new URL('../../snowflake/package.json', import.meta.url);

/** The output of the doctor. */
export interface Diagnosis extends CliEnd {
  readonly findings: readonly Finding[];
  readonly examined: readonly string[];
  readonly errors: number;
  readonly warnings: number;
}

/**
 * Runs a command at the present time, in no particular environment, and refuses output that shows the password. In this process,
 * unless it needs one of its own: for an environment or folder, or for a file of an app, which imports the built library.
 */
export async function operate(args: readonly string[], run?: CliRun): Promise<CliEnd> {
  if (run === undefined && !args.some((arg) => LOADS_A_FILE.has(arg))) {
    return withoutPassword(await runHere(args, [], Date.now));
  }
  return withoutPassword(await runCli(args, { ...run, env: { ...PLAIN, ...run?.env } }));
}

/** Runs commands as {@link operate} does, one after another in one process. */
export async function operateSeveral(...commandLines: readonly (readonly string[])[]): Promise<CliEnd[]> {
  return (await runSeveral(commandLines, { env: PLAIN })).map(withoutPassword);
}

function withoutPassword(end: CliEnd): CliEnd {
  for (const secret of [PASSWORD, PASSWORD_IN_URL, 'sesame']) {
    expect(`${end.stdout}${end.stderr}`).not.toContain(secret);
  }
  return end;
}

/** Longer than the default of the program: a server on a busy host answers late. */
const LONG_TIMEOUT = ['--timeout-ms', '30000'];

/** Runs the doctor. */
export async function diagnose(args: readonly string[], run?: CliRun): Promise<Diagnosis> {
  const timeout = args.includes('--timeout-ms') ? [] : LONG_TIMEOUT;
  const end = await operate(['doctor', '--json', ...args, ...timeout], run);
  if (end.stdout === '') throw new Error(`The doctor printed nothing: ${end.stderr}`);
  const report = JSON.parse(end.stdout) as Pick<Diagnosis, 'findings' | 'examined' | 'errors' | 'warnings'>;
  return { ...end, ...report };
}

/** Expects exactly these findings, and the exit code that they mean. */
export function expectFindings({ findings, code }: Diagnosis, ...expected: readonly object[]): void {
  expect(findings).toEqual(expected.map((each) => expect.objectContaining(each)));
  expect(code).toBe(findings.some(({ severity }) => severity === 'error') ? 1 : 0);
}

/** A folder for files of one spec. */
export class Files {
  private readonly folder = mkdtempSync(join(tmpdir(), 'snowflake-cli-'));
  private count = 0;

  path(name: string): string {
    return join(this.folder, name);
  }

  /**
   * Returns the source of a function that returns these options as a user who owns no file. Loads everything that the
   * doctor needs first, because that user may not read the repository.
   */
  asStranger(text: string): string {
    const modules = ['sql-check', 'driver-check'].map(
      (name) => `await import('${new URL(`commands/doctor/${name}.js`, PROGRAM).href}');`,
    );
    const leave = `if (process.getuid() === 0) process.setuid(${NOBODY});`;
    return `async () => { ${modules.join(' ')} ${leave} return ${text}; }`;
  }

  /** Writes a module that exports the options of an app. The stores of the library, and `libsql`, are in scope. */
  options(text: string): string {
    const imports = [
      `import * as library from '${new URL('index.js', LIBRARY).href}';`,
      `import { redisLeaseStore } from '${new URL('stores/redis/index.js', LIBRARY).href}';`,
      `import { sqlLeaseStore } from '${new URL('stores/sql/index.js', LIBRARY).href}';`,
      `import { SnowflakeColumn, SnowflakeId, prepareDatabase, snowflakeColumn, snowflakeIdColumn, snowflakeSchema } from '${new URL('adapters/typeorm/index.js', LIBRARY).href}';`,
      `import { EntitySchema } from '${import.meta.resolve('typeorm')}';`,
      `import libsql from '${import.meta.resolve('libsql')}';`,
      'const { memoryLeaseStore, withLocalWindow } = library;',
    ];
    const file = this.path(`options-${++this.count}.mjs`);
    writeFileSync(file, `${imports.join('\n')}\nexport default ${text};\n`);
    return file;
  }

  /** Makes a project with this library and these versions of packages. @returns its folder */
  project(name: string, packages: Readonly<Record<string, string>>): string {
    const folder = this.path(name);
    const install = (packageName: string, manifest: object): void => {
      const place = join(folder, 'node_modules', packageName);
      mkdirSync(place, { recursive: true });
      writeFileSync(join(place, 'package.json'), JSON.stringify({ name: packageName, ...manifest }));
    };
    install('nestjs-snowflake', JSON.parse(readFileSync(MANIFEST, 'utf8')) as object);
    for (const [packageName, version] of Object.entries(packages)) install(packageName, { version });
    return folder;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}
