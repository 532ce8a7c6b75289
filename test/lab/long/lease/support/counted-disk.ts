import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import promises, { type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

type Operation = (this: unknown, ...args: never[]) => Promise<unknown>;

const PATH_OPERATIONS = ['open', 'rename', 'unlink'] as const;
const HANDLE_OPERATIONS = ['stat', 'readFile', 'writeFile', 'truncate', 'sync'] as const;

/** Calls `before` with the name of each operation on the disk that this process makes through `node:fs/promises`. */
export async function countDiskOperations(before: (name: string) => void): Promise<void> {
  const handles = await handlePrototype();
  for (const name of PATH_OPERATIONS) intercept(promises, name, before);
  for (const name of HANDLE_OPERATIONS) intercept(handles, name, before);
  syncBuiltinESMExports();
}

/** A disk on which a file that was taken stands again where it was, as soon as it would be removed. */
export function forgetWhatWasTaken(file: string): void {
  const { unlink, rename } = promises;
  const unlinkOrReturn = async (path: string): Promise<void> =>
    path.endsWith('.used') ? rename(path, file) : unlink(path);
  Object.assign(promises, { unlink: unlinkOrReturn });
  syncBuiltinESMExports();
}

/** Another user who gives a file that was taken its old name as well, right before the name of its taker is removed. */
export function linkWhatWasTaken(file: string): void {
  const { unlink, link } = promises;
  const linkAndUnlink = async (path: string): Promise<void> => {
    if (path.endsWith('.used')) await link(path, file);
    await unlink(path);
  };
  Object.assign(promises, { unlink: linkAndUnlink });
  syncBuiltinESMExports();
}

/** A disk that empties no file. */
export async function keepWhatIsEmptied(): Promise<void> {
  Object.assign(await handlePrototype(), { truncate: async () => undefined });
}

/** The name that a file was given by the process that took it. */
export function takenName(entries: readonly string[], folder: string): string | undefined {
  const name = entries.find((entry) => entry.endsWith('.used'));
  return name === undefined ? undefined : join(folder, name);
}

async function handlePrototype(): Promise<FileHandle> {
  const probe = await promises.open(tmpdir());
  await probe.close();
  return Object.getPrototypeOf(probe) as FileHandle;
}

function intercept(target: object, name: string, before: (name: string) => void): void {
  const original = Reflect.get(target, name) as Operation;
  Reflect.set(target, name, function (this: unknown, ...args: never[]) {
    before(name);
    return original.apply(this, args);
  });
}
