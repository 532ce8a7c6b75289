import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { IdDecoder } from '../../core/ids/decoder.js';
import { requireWholeNumber } from '../../core/options/option-checks.js';
import type { FakeIdMakerOptions } from './fake-options.js';

/** The size of a block. Blocks begin at multiples of it, so that the last digits of an ID are those of `start`. */
const BLOCK_SIZE = 10_000n;

/** The bound of random and hashed first IDs, so that they decode to the first weeks after the epoch, and never to the future. */
const END_OF_AUTOMATIC = 2n ** 53n;

/** Returns the first ID of a fake. @param last the end of the layout @throws InvalidOptionError, InvalidIdError */
export function firstId({ start, testFile }: FakeIdMakerOptions, decoder: IdDecoder, last: bigint): bigint {
  const end = last / 2n < END_OF_AUTOMATIC ? last / 2n : END_OF_AUTOMATIC;
  if (testFile !== undefined) return blockOf(testFile, end) + idOf(start ?? 1, decoder);
  return start === undefined ? randomBytes(8).readBigUInt64BE() % end : idOf(start, decoder);
}

function idOf(start: string | bigint | number, decoder: IdDecoder): bigint {
  if (typeof start !== 'number') return BigInt(decoder.decode(start).id);
  return BigInt(requireWholeNumber('fakeIdMaker.start', start, 0, Number.MAX_SAFE_INTEGER));
}

function blockOf(testFile: string, end: bigint): bigint {
  const hash = createHash('sha256').update(nameOf(testFile)).digest().readBigUInt64BE();
  return (hash % (end / BLOCK_SIZE)) * BLOCK_SIZE;
}

/** Returns a path relative to the nearest package.json, which is the same on all hosts, and any other name unchanged. */
function nameOf(testFile: string): string {
  const path = testFile.startsWith('file:') ? fileURLToPath(testFile) : testFile;
  if (!isAbsolute(path)) return path;
  let folder = dirname(path);
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
  return relative(folder, path).split(sep).join('/');
}
