import type { BigIntStats } from 'node:fs';

/** Why something on disk may be the work of another user, and what to do about it. */
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

/** The user to whom the files of this process belong; undefined where files have no such owner (Windows). */
export function ownUser(): bigint | undefined {
  const user = process.geteuid?.();
  return user === undefined ? undefined : BigInt(user);
}

/** Whether another user wrote a file. Root is another user as well: it leaves no windows for this process. */
export function distrustOfOwner({ uid }: BigIntStats): Distrust | undefined {
  const user = ownUser();
  if (user === undefined || uid === user) return undefined;
  return {
    problem: `belongs to user ${uid}, and this process runs as user ${user}`,
    remedy: 'Delete it, or give this process a path of its own.',
  };
}

/** Why a file that this process has just made would not be used by the next one. */
export function distrustOfNewFile(stats: BigIntStats): Distrust | undefined {
  const distrust = distrustOfOwner(stats) ?? distrustOfMode(stats);
  return (
    distrust && {
      problem: `lies where a new file of this process ${distrust.problem}`,
      remedy: 'Keep it on a file system that stores the owner and the mode of files.',
    }
  );
}

/** Whether other users may have written to a file. This library makes files that only their owner may write to. */
export function distrustOfMode({ mode }: BigIntStats): Distrust | undefined {
  if (ownUser() === undefined || (mode & WRITABLE_BY_OTHERS) === 0n) return undefined;
  return {
    problem: `has mode ${octal(mode)}, so that other users may write to it`,
    remedy: 'Delete it, and find out what changed its mode: this library writes it with 0600.',
  };
}

/**
 * Whether another user can put a file of this process in the place of another one. In a folder with the sticky bit only
 * its owner can, besides the owner of the file. Root can do so anywhere.
 */
export function distrustOfFolder({ mode, uid }: BigIntStats): Distrust | undefined {
  const user = ownUser();
  if (user === undefined) return undefined;
  if (uid !== user && uid !== ROOT) {
    return {
      problem: `lies in a folder of user ${uid}, and this process runs as user ${user}`,
      remedy: OWN_FOLDER,
    };
  }
  if ((mode & WRITABLE_BY_OTHERS) === 0n || (mode & STICKY) !== 0n) return undefined;
  return {
    problem: `lies in a folder of mode ${octal(mode)} that other users may write to`,
    remedy: OWN_FOLDER,
  };
}

function octal(mode: bigint): string {
  return (mode & PERMISSIONS).toString(8).padStart(4, '0');
}
