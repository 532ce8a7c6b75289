/** Reads the files of an app. Paths are relative to its folder, with `/`. */
export interface AppFiles {
  /** Returns the text of a file, or `undefined` if there is none. A path can lead above the folder. */
  read(path: string): string | undefined;
  /** Returns the paths of all files below a folder, without those of installed packages and of builds. */
  below(folder: string): readonly string[];
}

/** Folders that hold no sources of an app. */
export const NO_SOURCES: readonly string[] = ['node_modules', 'dist', 'coverage'];

/** Returns the folder of a path; an empty string at the top. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Returns a path without `.` and `..`. */
export function joined(...parts: readonly string[]): string {
  const steps: string[] = [];
  for (const step of parts.join('/').split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return steps.join('/');
}

/** Returns the path from a folder to a file, as an import writes it. */
export function relativePath(fromFolder: string, to: string): string {
  const from = fromFolder.split('/').filter(Boolean);
  const steps = to.split('/');
  let common = 0;
  while (common < from.length && common < steps.length - 1 && from[common] === steps[common]) common += 1;
  const up = '../'.repeat(from.length - common);
  return (up === '' ? './' : up) + steps.slice(common).join('/');
}
