import { existsSync, readFileSync, writeSync } from 'node:fs';

const HEADER_DOUBLES = 3;

/** IDs that were made in one go, and the true time around it, Unix time in milliseconds. */
export interface IdFrame {
  readonly beforeMs: number;
  readonly afterMs: number;
  readonly ids: BigUint64Array;
}

/** Appends a frame by one system call: a process that is killed leaves all of it or none. */
export function appendFrame(file: number, { beforeMs, afterMs, ids }: IdFrame): void {
  const frame = new Float64Array(HEADER_DOUBLES + ids.length);
  frame.set([beforeMs, afterMs, ids.length]);
  new BigUint64Array(frame.buffer, HEADER_DOUBLES * 8).set(ids);
  writeSync(file, new Uint8Array(frame.buffer));
}

/** All whole frames of a file. A last one that was torn off was never handed to anybody. */
export function readFrames(file: string): IdFrame[] {
  // A process that failed to start has none.
  if (!existsSync(file)) return [];
  const { buffer } = Uint8Array.from(readFileSync(file));
  const frames: IdFrame[] = [];
  for (let offset = 0; offset + HEADER_DOUBLES * 8 <= buffer.byteLength;) {
    const [beforeMs = 0, afterMs = 0, count = 0] = new Float64Array(buffer, offset, HEADER_DOUBLES);
    const start = offset + HEADER_DOUBLES * 8;
    offset = start + count * 8;
    if (offset > buffer.byteLength) break;
    frames.push({ beforeMs, afterMs, ids: new BigUint64Array(buffer, start, count) });
  }
  return frames;
}
