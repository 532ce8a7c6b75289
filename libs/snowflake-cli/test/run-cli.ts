import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { unwatch, watch } from '../../../test/support/servers/watch.js';
import { within } from '../../../test/support/wait.js';

/** The program as the package has it: `npm run build` comes first. */
export const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const SEVERAL = fileURLToPath(new URL('./run-several.mjs', import.meta.url));
const FIXED_CLOCK = new URL('./fixed-clock.mjs', import.meta.url).href;
const END_WITHIN_MS = 120_000;

/** The default time at which {@link runCli} runs. */
export const NOW = '2026-11-23T12:00:00.000Z';

export interface CliRun {
  /** The text of standard input; empty by default. */
  readonly input?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

export interface CliEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Environment in which every run prints the same: the time {@link NOW}, in Berlin. Node shows no colors where `CI` is set. */
export function fixedEnvironment(env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { CI: _, FORCE_COLOR: __, NO_COLOR: ___, ...inherited } = process.env;
  return {
    ...inherited,
    TZ: 'Europe/Berlin',
    FIXED_NOW: NOW,
    NODE_OPTIONS: `--import ${FIXED_CLOCK}`,
    ...env,
  };
}

/** Runs `nestjs-snowflake-cli` with these arguments, in a process of its own without a terminal. */
export async function runCli(
  args: readonly string[],
  { input = '', env, cwd }: CliRun = {},
): Promise<CliEnd> {
  return runProgram(process.execPath, [MAIN, ...args], { input, env, cwd });
}

/**
 * Runs command lines one after another in one process of Node. It costs little more than one command line alone, but one of them can't
 * be ended by what another has left behind, nor by the end of the process.
 */
export async function runSeveral(
  commandLines: readonly (readonly string[])[],
  run?: Omit<CliRun, 'input'>,
): Promise<CliEnd[]> {
  const input = JSON.stringify(commandLines);
  const { code, stdout, stderr } = await runProgram(process.execPath, [SEVERAL], { ...run, input });
  if (code !== 0) throw new Error(`Could not run several command lines: ${stderr}`);
  return JSON.parse(stdout) as CliEnd[];
}

/** Runs any program as {@link runCli} does. */
export async function runProgram(
  program: string,
  args: readonly string[],
  { input = '', env, cwd }: CliRun = {},
): Promise<CliEnd> {
  if (!existsSync(MAIN)) throw new Error('The library is not built: npm run build:lib');
  const child = spawn(program, args, { env: fixedEnvironment(env), cwd });
  if (child.pid === undefined) throw new Error(`Could not start ${program}`);
  const { pid } = child;
  watch(pid, 'SIGKILL');
  try {
    return await within(`${program} ${args.join(' ')} to end`, END_WITHIN_MS, endOf(child, input));
  } finally {
    unwatch(pid);
    child.kill('SIGKILL');
  }
}

async function endOf(child: ChildProcess, input: string): Promise<CliEnd> {
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => (printed[name] += text));
  }
  // It may end before it has read everything.
  child.stdin?.on('error', () => undefined).end(input);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, ...printed };
}
