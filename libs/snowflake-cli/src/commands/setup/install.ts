import { spawnSync } from 'node:child_process';
import type { SetupPlan } from 'nestjs-snowflake/internal/setup/setup-plan';

/** The package managers whose `install` does nothing but install. Others run by hand. */
const KNOWN: readonly string[] = ['npm', 'pnpm'];

/** Installs the packages that `package.json` has gained. Returns the sentence for a user who does it by hand. */
export function install(
  { packageManager, added }: SetupPlan,
  folder: string,
  isWanted: boolean,
): string | undefined {
  const command = `${packageManager} install`;
  if (isWanted && KNOWN.includes(packageManager)) {
    // The package managers are scripts of the shell on Windows.
    const { status } = spawnSync(command, {
      cwd: folder,
      shell: true,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    if (status === 0) return undefined;
  }
  return `Install ${added.join(' and ')}: ${command}`;
}
