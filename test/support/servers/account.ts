import { execFileSync } from 'node:child_process';
import { chownSync } from 'node:fs';

/** A machine that has just started reads programs slowly. */
const ANSWER_WITHIN_MS = 60_000;

/** The user that a server runs as: options of `spawn`. Empty = the user of the tests. */
export interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

/** Returns the user of the package, or else `nobody`, if this is root, because PostgreSQL and MariaDB refuse to run as root. */
export function serverAccount(preferredUser: string): Account {
  if (process.getuid?.() !== 0) return {};
  return accountOf(preferredUser) ?? accountOf('nobody') ?? { uid: 65534, gid: 65534 };
}

function accountOf(user: string): Account | undefined {
  const ask = (flag: string): number =>
    Number(
      execFileSync('id', [flag, user], {
        timeout: ANSWER_WITHIN_MS,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    );
  try {
    return { uid: ask('-u'), gid: ask('-g') };
  } catch {
    return undefined;
  }
}

export function giveTo(account: Account, directory: string): void {
  if (account.uid !== undefined && account.gid !== undefined) chownSync(directory, account.uid, account.gid);
}
