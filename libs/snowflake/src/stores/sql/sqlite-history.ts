import { statSync } from 'node:fs';

/**
 * Identifies a database file: device, inode and time of birth. A copy that is moved into its place has another inode or
 * another birth; one that is written into the file (`cp`, `.restore`) has neither and can't be seen.
 *
 * @param file as SQLite names it; empty for a database that is no file
 */
export function fileHistory(file: string): string | undefined {
  if (file === '') return undefined;
  const { dev, ino, birthtimeNs } = statSync(file, { bigint: true });
  return `${dev}/${ino}/${birthtimeNs}`;
}
