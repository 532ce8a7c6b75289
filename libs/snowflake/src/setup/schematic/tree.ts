import { existsSync, readFileSync } from 'node:fs';
import { type AppFiles, NO_SOURCES } from '../app-files.js';

/** A folder of the schematics' tree. */
interface TreeFolder {
  readonly subfiles: readonly string[];
  readonly subdirs: readonly string[];
}

/** What the schematic uses of the `Tree` of @angular-devkit/schematics, which the library doesn't depend on. */
export interface Tree {
  read(path: string): { toString(): string } | null;
  getDir(path: string): TreeFolder;
  create(path: string, text: string): void;
  overwrite(path: string, text: string): void;
}

/** Reads an app in the tree of the schematics. */
export function filesIn(tree: Tree): AppFiles {
  const below = (folder: string): string[] => {
    const { subfiles, subdirs } = tree.getDir(`/${folder}`);
    const inside = (name: string) => (folder === '' ? name : `${folder}/${name}`);
    const folders = subdirs.filter((name) => !name.startsWith('.') && !NO_SOURCES.includes(name));
    return [...subfiles.map(inside), ...folders.flatMap((name) => below(inside(name)))];
  };
  const read = (path: string) =>
    path.startsWith('..') ? readAbove(path) : tree.read(`/${path}`)?.toString();
  return { below, read };
}

/** A tree ends at its root, which is the present folder. */
function readAbove(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
