import { closeSync, mkdtempSync, openSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BitLayout, IdDecoder } from 'nestjs-snowflake/core';
import { appendFrame, type IdFrame, readFrames } from './id-frames.js';
import { LAYOUT } from './issuer-job.js';
import { disorderIn, worstStampErrorMs } from './measure.js';

const NOW_MS = Date.UTC(2026, 5, 1);
const decoder = new IdDecoder(new BitLayout(LAYOUT));
/** The first IDs of the given instants: of worker ID 0. */
const idsAt = (...timesMs: number[]): BigUint64Array =>
  BigUint64Array.from(timesMs, (ms) => BigInt(decoder.firstIdAt(ms)));
const frameAt = (beforeMs: number, ids: BigUint64Array): IdFrame => ({
  beforeMs,
  afterMs: beforeMs + 5,
  ids,
});

describe('a file of IDs', () => {
  let directory: string;
  beforeAll(() => (directory = mkdtempSync(join(tmpdir(), 'snowflake-frames-'))));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('returns the appended frames, except for one that was truncated', () => {
    const path = join(directory, 'ids');
    const frames = [
      frameAt(NOW_MS + 0.25, idsAt(NOW_MS, NOW_MS + 1)),
      frameAt(NOW_MS + 9, idsAt(NOW_MS + 9)),
    ];
    const file = openSync(path, 'a');
    for (const frame of frames) appendFrame(file, frame);
    closeSync(file);
    expect(readFrames(path)).toEqual(frames);
    truncateSync(path, statSync(path).size - 3);
    expect(readFrames(path)).toEqual(frames.slice(0, 1));
    truncateSync(path, 20);
    expect(readFrames(path)).toEqual([]);
  });
});

describe('the measurements of a scenario', () => {
  it.each([
    ['in the first moment', NOW_MS, 0],
    ['in the last moment', NOW_MS + 5, 0],
    ['too late', NOW_MS + 12, 7],
    ['too early', NOW_MS - 11, -10],
  ])('measures a timestamp %s', (_case, ms, error) => {
    const frames = [frameAt(NOW_MS, idsAt(NOW_MS + 1)), frameAt(NOW_MS, idsAt(ms))];
    expect(worstStampErrorMs(frames, decoder)).toBe(error);
  });

  it('measures the first and the last ID of a frame', () => {
    expect(worstStampErrorMs([frameAt(NOW_MS, idsAt(NOW_MS, NOW_MS + 105))], decoder)).toBe(100);
    expect(worstStampErrorMs([frameAt(NOW_MS, idsAt(NOW_MS - 101, NOW_MS))], decoder)).toBe(-100);
  });

  it('finds IDs that do not ascend, within a frame and between frames', () => {
    const good = [frameAt(NOW_MS, idsAt(NOW_MS, NOW_MS + 1)), frameAt(NOW_MS, idsAt(NOW_MS + 2))];
    expect(disorderIn('x', good, decoder)).toEqual([]);
    expect(disorderIn('x', good.toReversed(), decoder)).toEqual([
      'x: frame 1 of worker ID 0 does not ascend',
    ]);
    const within = [frameAt(NOW_MS, idsAt(NOW_MS + 1, NOW_MS, NOW_MS + 2))];
    expect(disorderIn('x', within, decoder)).toEqual(['x: frame 0 of worker ID 0 does not ascend']);
    const other = frameAt(
      NOW_MS,
      idsAt(NOW_MS + 1).map((id) => id | 8n),
    );
    expect(disorderIn('x', [good[1]!, other], decoder)).toEqual([]);
  });
});
