import type { BigIntStats } from 'node:fs';

/** Why another user may have written something on disk, and what to do about it. */
export interface Distrust {
  /** The end of a sentence that starts with the path of the file. */
  readonly problem: string;
  /** A full sentence. */
  readonly remedy: string;
}

const ROOT = 0n;
const STICKY = 0o1000n;
const WRITABLE_BY_OTHERS = 0o022n;
const PERMISSIONS = 0o7777n;
const OWN_FOLDER = 'Keep it in a folder that only this process may write to: mkdir -m 700.';

/** Returns the user who owns the files of this process; undefined if files have no such owner (Windows). */
function ownUser(): bigint | undefined {
  const user = process.geteuid?.();
  return user === undefined ? undefined : BigInt(user);
}

/** Returns the reason if another user owns a file. Root counts as another user: it leaves no windows for this process. */
export function distrustOfOwner({ uid }: BigIntStats): Distrust | undefined {
  const user = ownUser();
  if (user === undefined || uid === user) return undefined;
  return {
    problem: `belongs to user ${uid}, but this process runs as user ${user}`,
    remedy: 'Delete it, or give this process its own path.',
  };
}

/** Returns why the next process would refuse a file that this process has just made. */
export function distrustOfNewFile(stats: BigIntStats): Distrust | undefined {
  const distrust = distrustOfOwner(stats) ?? distrustOfMode(stats);
  return (
    distrust && {
      problem: `is on a file system where a new file of this process ${distrust.problem}`,
      remedy: 'Keep it on a file system that stores the owner and the mode of files.',
    }
  );
}

/** Returns the reason if other users may have written to a file. This library makes files that only the owner may write. */
export function distrustOfMode({ mode }: BigIntStats): Distrust | undefined {
  if (ownUser() === undefined || (mode & WRITABLE_BY_OTHERS) === 0n) return undefined;
  return {
    problem: `has mode ${octal(mode)}, so other users may write to it`,
    remedy: 'Delete it, and find out what changed its mode: this library creates it with mode 0600.',
  };
}

/**
 * Returns the reason if another user can replace a file of this process by another file of this process. In a folder with
 * the sticky bit, only the owners of the folder and of the file can. Root can do so anywhere.
 */
export function distrustOfFolder({ mode, uid }: BigIntStats): Distrust | undefined {
  const user = ownUser();
  if (user === undefined) return undefined;
  if (uid !== user && uid !== ROOT) {
    return {
      problem: `is in a folder of user ${uid}, but this process runs as user ${user}`,
      remedy: OWN_FOLDER,
    };
  }
  if ((mode & WRITABLE_BY_OTHERS) === 0n || (mode & STICKY) !== 0n) return undefined;
  return {
    problem: `is in a folder with mode ${octal(mode)}, which other users may write to`,
    remedy: OWN_FOLDER,
  };
}

function octal(mode: bigint): string {
  return (mode & PERMISSIONS).toString(8).padStart(4, '0');
}
