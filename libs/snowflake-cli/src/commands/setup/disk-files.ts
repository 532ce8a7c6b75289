import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type AppFiles, NO_SOURCES } from 'nestjs-snowflake/internal/setup/app-files';
import type { FileChange } from 'nestjs-snowflake/internal/setup/setup-plan';

/** Reads the files of an app in a folder. */
export function diskFiles(folder: string): AppFiles {
  const below = (path: string): string[] => {
    const entries = listed(join(folder, path));
    const inside = (name: string) => (path === '' ? name : `${path}/${name}`);
    const folders = entries.filter(
      (each) => each.isDirectory() && !each.name.startsWith('.') && !NO_SOURCES.includes(each.name),
    );
    return [
      ...entries.filter((each) => each.isFile()).map(({ name }) => inside(name)),
      ...folders.flatMap(({ name }) => below(inside(name))),
    ];
  };
  return { below, read: (path) => readIfThere(join(folder, path)) };
}

/** Writes the files that a plan changes. */
export function writeChanges(folder: string, changes: readonly FileChange[]): void {
  for (const { path, after } of changes) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, after);
  }
}

function listed(path: string) {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** A folder where a file is expected is no file either. */
function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'EISDIR'].includes(String(Reflect.get(Object(error), 'code')));
}
