import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { arch, cpus, release, totalmem, type } from 'node:os';
import { fileURLToPath } from 'node:url';

const FOLDER = new URL('../../docs/bench/', import.meta.url);

/** Path of a result file: `docs/bench/<fileName>` of the repository. */
export function resultPath(fileName: string): string {
  return fileURLToPath(new URL(fileName, FOLDER));
}

/** The host of the measurement, without which the figures mean nothing. */
function machine(): Record<string, string | number> {
  const cores = cpus();
  return {
    node: process.version,
    v8: process.versions.v8,
    cpu: cores[0]?.model.trim() ?? 'unknown',
    cores: cores.length,
    memoryGiB: Math.round((totalmem() / 2 ** 30) * 10) / 10,
    platform: `${type()} ${release()} ${arch()}`,
    date: new Date().toISOString(),
  };
}

/**
 * Writes `docs/bench/<name>.json`: the machine, and `data` as it is.
 *
 * @param data anything that JSON can hold
 */
export async function writeResults(name: string, data: unknown): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  await writeFile(resultPath(`${name}.json`), `${JSON.stringify({ machine: machine(), data }, null, 2)}\n`);
}

/** Returns the `data` of `docs/bench/<name>.json`. Functions of it are missing, since JSON has none. */
export async function readResults<Data>(name: string): Promise<Data> {
  return (JSON.parse(await readFile(resultPath(`${name}.json`), 'utf8')) as { data: Data }).data;
}
