import { readFileSync, type BigIntStats } from 'node:fs';

const BOOT_ID_FILE = '/proc/sys/kernel/random/boot_id';

/**
 * Identifies one file on one running system by the boot of the machine, the device, the inode and the creation time. A
 * renamed file keeps its identity. A copy, a restored backup, an unpacked image, a cloned volume on another machine and a
 * machine started from a cloned disk have another one.
 *
 * If the operating system has no boot ID (any but Linux), a clone of a whole disk has the identity of the original. If the
 * file system stores no creation time, so does a copy that reuses the inode of the original.
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
