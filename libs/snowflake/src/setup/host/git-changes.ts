import { spawnSync } from 'node:child_process';

/** What a package manager changes when it installs the package, which comes before any command of it. */
const WRITTEN_BY_INSTALL: readonly string[] = [
  'package.json',
  'package-lock.json',
  'pnpm-lock.yaml',
  'yarn.lock',
  'bun.lock',
  'bun.lockb',
];

/**
 * Returns the files in a folder that git would lose if it undid all changes, without those that an installation writes. Returns none if
 * the folder is in no repository.
 */
export function uncommittedIn(folder: string): string[] {
  const { status, stdout } = spawnSync('git', ['status', '--porcelain', '-z', '--', '.'], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status !== 0) return [];
  // Each entry is two letters, a space and a path.
  return stdout
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => entry.slice('XY '.length))
    .filter((path) => !WRITTEN_BY_INSTALL.includes(path.split('/').at(-1) ?? ''));
}

/** Returns why the setup doesn't touch an app with uncommitted files; `undefined` if there are none. */
export function refusalFor(uncommitted: readonly string[]): string | undefined {
  if (uncommitted.length === 0) return undefined;
  const [first, ...others] = uncommitted;
  const rest = others.length === 0 ? '' : ` and ${others.length} more`;
  return `Git has uncommitted changes: ${first}${rest}. Commit them, so that git can undo the setup, or add --force. Nothing was changed.`;
}
