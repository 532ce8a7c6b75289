import { execFile } from 'node:child_process';
import { access, copyFile, mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import process from 'node:process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MODEL_FOLDER = dirname(fileURLToPath(import.meta.url));
const INSTALL = 'apt-get install -y --no-install-recommends spin gcc libc6-dev';
const INSTALL_WITHIN_MS = 300_000;
const COMPILE_WITHIN_MS = 180_000;
const TRACE_WITHIN_MS = 30_000;
const MEMORY_MB = 3900;
const DEPTH = 1_000_000;
const MAX_OUTPUT = 64 * 1024 * 1024;

/** The model checker is not there, and could not be installed. */
export class MissingCheckerError extends Error {
  name = 'MissingCheckerError';
}

async function isInstalled() {
  try {
    await run('spin', ['-V'], { timeout: TRACE_WITHIN_MS });
    await run('gcc', ['--version'], { timeout: TRACE_WITHIN_MS });
    return true;
  } catch {
    return false;
  }
}

/**
 * Makes sure that spin and gcc are there: installs them when this is root on a Debian.
 *
 * @throws MissingCheckerError with the command to run when they cannot be had
 */
export async function provideChecker() {
  if (await isInstalled()) return;
  if (process.getuid?.() !== 0)
    throw new MissingCheckerError(`The model needs spin and gcc. As root: ${INSTALL}`);
  const options = { timeout: INSTALL_WITHIN_MS, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
  const waitForLock = ['-o', 'DPkg::Lock::Timeout=60'];
  process.stdout.write(`The model needs spin and gcc. Running: apt-get update && ${INSTALL}\n`);
  try {
    await run('apt-get', [...waitForLock, 'update'], options);
    await run('apt-get', [...waitForLock, ...INSTALL.split(' ').slice(1)], {
      ...options,
      maxBuffer: MAX_OUTPUT,
    });
  } catch (cause) {
    throw new MissingCheckerError(`spin could not be installed. By hand: ${INSTALL}`, { cause });
  }
  if (!(await isInstalled())) throw new MissingCheckerError(`spin is still missing. By hand: ${INSTALL}`);
}

const defines = ({ holders, window, lastNow, copies, losses, clockSteps }, extra) => [
  `-DHOLDERS=${holders}`,
  `-DWINDOW=${window}`,
  `-DLAST_NOW=${lastNow}`,
  `-DCOPIES=${copies}`,
  `-DLOSSES=${losses}`,
  ...(clockSteps ? ['-DCLOCK_STEPS'] : []),
  ...extra.map((name) => `-D${name}`),
];

async function compile(folder, modelDefines, compilerFlags) {
  await mkdir(folder, { recursive: true });
  const files = (await readdir(MODEL_FOLDER)).filter((file) => file.endsWith('.pml'));
  await Promise.all(files.map((file) => copyFile(join(MODEL_FOLDER, file), join(folder, file))));
  const options = { cwd: folder, timeout: COMPILE_WITHIN_MS, maxBuffer: MAX_OUTPUT };
  const generated = await run('spin', [...modelDefines, '-a', 'lease.pml'], options);
  if (/error/i.test(generated.stdout)) throw new Error(`spin refuses the model:\n${generated.stdout}`);
  await run('gcc', ['-w', '-DSAFETY', '-DNOREDUCE', ...compilerFlags, '-o', 'pan', 'pan.c'], options);
}

async function explore(folder, withinMs) {
  const options = { cwd: folder, timeout: withinMs, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT };
  try {
    return await run('./pan', ['-E', `-m${DEPTH}`], options);
  } catch (error) {
    return { stdout: error.stdout ?? '', stopped: error.killed === true };
  }
}

const number = (text, pattern) => Number(pattern.exec(text)?.[1] ?? Number.NaN);

/** The story of a violation, a line for each step that somebody takes. */
async function trace(folder, modelDefines) {
  const options = { cwd: folder, timeout: TRACE_WITHIN_MS, maxBuffer: MAX_OUTPUT };
  const replay = await run('spin', ['-T', '-t', ...modelDefines, 'lease.pml'], options).catch(
    (error) => error,
  );
  return String(replay.stdout ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('t='));
}

/**
 * Searches one scope. Every state is kept in full, so a search that ends is exhaustive.
 *
 * @param task `{ scope, extra, shortest, withinMs }`: names to define; whether the shortest trace is wanted
 * @returns `{ outcome: 'clean' | 'violated' | 'unfinished', states, depth, seconds, megabytes, story, output }`
 */
export async function check(folder, { scope, extra, shortest, withinMs }) {
  const modelDefines = defines(scope, [...extra, ...(shortest ? ['SHORTEST_TRACE'] : [])]);
  // The generated program is large and bound by memory: higher levels cost more to compile than they save. Compression saves a
  // proof memory; a search for a duplicate is over before that.
  const search = shortest ? ['-O0', '-DBFS'] : ['-O1', '-DCOLLAPSE'];
  await compile(folder, modelDefines, [...search, `-DMEMLIM=${MEMORY_MB}`]);
  const { stdout, stopped } = await explore(folder, withinMs);
  const errors = number(stdout, /errors: (\d+)/);
  const cutShort = stopped || /max search depth too small|out of memory|Search not completed/i.test(stdout);
  const violated = errors > 0 && /assertion violated/.test(stdout);
  const outcome = violated ? 'violated' : errors === 0 && !cutShort ? 'clean' : 'unfinished';
  const hasTrail = await access(join(folder, 'lease.pml.trail')).then(
    () => true,
    () => false,
  );
  return {
    outcome,
    states: number(stdout, /(\d+) states, stored/),
    depth: number(stdout, /depth reached (\d+)/),
    seconds: number(stdout, /elapsed time ([\d.]+) seconds/),
    megabytes: number(stdout, /([\d.]+)\s+total actual memory usage/),
    story: violated && hasTrail ? await trace(folder, modelDefines) : [],
    output: stdout,
  };
}
