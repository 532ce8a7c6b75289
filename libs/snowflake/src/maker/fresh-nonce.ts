import { createHash, randomBytes } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';

const NONCE_BYTES = 8;
const KERNEL_BYTES = 32;
const KERNEL_RANDOMNESS = '/dev/urandom';

/**
 * Returns 16 random hex digits that a copy of this process does not repeat.
 *
 * `randomBytes` alone is not enough. OpenSSL keeps the state of its generator in the memory of the process, and seeds it again only
 * after a fork, which it recognizes by the process ID. Two processes with one memory and one process ID, such as two machines
 * resumed from one snapshot, get the same bytes for minutes. So each nonce also depends on the kernel's randomness, and on a
 * clock of nanoseconds in case the kernel was copied, too, or has no such file, as on Windows.
 */
export function freshNonce(): string {
  return createHash('sha256')
    .update(randomBytes(KERNEL_BYTES))
    .update(kernelBytes())
    .update(`${process.hrtime.bigint()}`)
    .digest('hex')
    .slice(0, 2 * NONCE_BYTES);
}

/** Returns bytes from the kernel, or none if it has no file of them or the process must not read it. */
function kernelBytes(): Uint8Array {
  const bytes = new Uint8Array(KERNEL_BYTES);
  try {
    const file = openSync(KERNEL_RANDOMNESS, 'r');
    try {
      readSync(file, bytes, 0, KERNEL_BYTES, null);
    } finally {
      closeSync(file);
    }
  } catch {
    // The other sources remain.
  }
  return bytes;
}
