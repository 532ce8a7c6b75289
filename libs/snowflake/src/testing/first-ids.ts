import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BitLayout, IdDecoder, InvalidOptionError, systemClock } from '../core/index.js';

/** How many IDs a test file has to itself. */
export const IDS_PER_TEST_FILE = 1_000_000n;

/** IDs of test files stay below, so that they decode to the first weeks after the epoch, and never to the future. */
const END_OF_BLOCKS = 2n ** 53n;

/** How far unique starts lie apart: with the default layout, up to 18 minutes before the clock. */
const SPREAD = 2n ** 42n;

/**
 * Returns the ID before the block of a test file.
 *
 * @param last the largest ID of the layout
 * @throws InvalidOptionError
 */
export function blockOf(testFile: unknown, last: bigint): bigint {
  if (typeof testFile !== 'string' || testFile === '') {
    throw new InvalidOptionError(
      'testFile',
      testFile,
      'must be a string that is not empty',
      'Pass import.meta.url, or __filename in CommonJS.',
    );
  }
  const end = last < END_OF_BLOCKS ? last : END_OF_BLOCKS;
  const blocks = end / IDS_PER_TEST_FILE - 1n;
  // Not the first block, where a start without a file is likely.
  const block = 1n + (hashOf(nameOf(testFile)) % (blocks > 1n ? blocks - 1n : 1n));
  return block * IDS_PER_TEST_FILE;
}

/** Returns an ID of the recent past that no other process and no other copy of this module is likely to begin with. */
export function uniqueStart(layout: BitLayout, last: bigint): bigint {
  const nowMs = Math.min(systemClock.now(), layout.expiresAt.getTime());
  const now = BigInt(new IdDecoder(layout).firstIdAt(nowMs));
  const spread = SPREAD < last ? SPREAD : last;
  const random = BigInt(`0x${randomBytes(8).toString('hex')}`) % spread;
  // Just after the epoch, or under a fake clock before it, there is no past to take.
  return now > spread ? now - random : 1n + random;
}

/** A path from the nearest package.json: the same on all machines. Another name as it is. */
function nameOf(testFile: string): string {
  const path = testFile.startsWith('file:') ? fileURLToPath(testFile) : testFile;
  if (!isAbsolute(path)) return path;
  const root = packageFolderOf(path);
  return (root === undefined ? path : relative(root, path)).split(sep).join('/');
}

function packageFolderOf(path: string): string | undefined {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

function hashOf(name: string): bigint {
  return BigInt(`0x${createHash('sha256').update(name).digest('hex').slice(0, 16)}`);
}
