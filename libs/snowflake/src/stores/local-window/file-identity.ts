import { readFileSync, type BigIntStats } from 'node:fs';

const BOOT_ID_FILE = '/proc/sys/kernel/random/boot_id';

/**
 * Names one file on one running system: the boot of the machine, the device, the inode and when it was created. A
 * renamed file keeps it. A copy, a restored backup, an unpacked image, a cloned volume on another machine and a
 * machine started from a cloned disk do not have it.
 *
 * Where the operating system has no boot ID (any but Linux), a clone of a whole disk is not told from the original.
 * Where the file system keeps no time of creation, neither is a copy that was given the inode of the original.
 */
export function fileIdentity({ dev, ino, birthtimeNs }: BigIntStats): string {
  return `boot=${bootId()} dev=${dev} ino=${ino} created=${birthtimeNs}`;
}

function bootId(): string {
  try {
    return readFileSync(BOOT_ID_FILE, 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
