import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Found, WindowFile } from './window-file.js';
import { readRecord, type WindowRest, writeRecord } from './window-rest.js';
import { HAS_ALL_RUNS, runs } from '../../../../../test/support/runs.js';

const REST: WindowRest = {
  store: 'redis namespace "shop"',
  layout: 'v1 layout',
  workerId: 3,
  fencingToken: '0123456789abcdef:web/1@1767225600000',
  lastUsedMs: 1_767_225_600_500,
  untilMs: 1_767_225_660_000,
};

let folder: string;
let path: string;
let file: WindowFile;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'snowflake-window-'));
  path = join(folder, 'window');
  file = new WindowFile(path);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function leave(rest = REST): Promise<void> {
  await file.publish(await file.draft(rest));
}

/** What a process that takes it has in its hands. */
async function takenFrom(place: string): Promise<WindowRest | undefined> {
  const found = await new WindowFile(place).consume();
  return found.kind === 'rest' ? found.rest : undefined;
}

const unusable = (problem: string, isForeign = false): unknown => ({
  kind: 'unusable',
  isForeign,
  problem: expect.stringContaining(problem),
  remedy: expect.stringMatching(/^[A-Z].*\.$/),
});

describe('a window file', () => {
  it('returns what was left in a window file, once, and leaves nothing', async () => {
    await leave();
    expect(await file.look()).toEqual({ kind: 'rest', rest: REST });
    expect(await file.look()).toEqual({ kind: 'rest', rest: REST });
    expect(await takenFrom(path)).toEqual(REST);
    expect(await file.look()).toEqual({ kind: 'absent' });
    expect(await takenFrom(path)).toBeUndefined();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('shows no window file before it is published', async () => {
    const draft = await file.draft(REST);
    expect(await file.look()).toEqual({ kind: 'absent' });
    expect(await takenFrom(path)).toBeUndefined();
    await file.publish(draft);
    expect(await takenFrom(path)).toEqual(REST);
  });

  it('keeps the latest rest only', async () => {
    await leave();
    await leave({ ...REST, workerId: 4 });
    expect(await takenFrom(path)).toMatchObject({ workerId: 4 });
    expect(await takenFrom(path)).toBeUndefined();
  });

  it('gives a window file to one process, however many try', async () => {
    for (let round = 0; round < runs(50); round++) {
      await leave();
      const takers = Array.from({ length: 16 }, () => takenFrom(path));
      const taken = (await Promise.all(takers)).filter((rest) => rest !== undefined);
      expect(taken).toEqual([REST]);
    }
  });

  it('gives no window file twice to processes that take it and leave another one', async () => {
    const TAKEN = HAS_ALL_RUNS ? 500 : 20;
    const taken: string[] = [];
    let left = 0;
    const leaveAnother = (): Promise<void> => leave({ ...REST, fencingToken: `fencing token ${left++}` });
    const takeAndLeave = async (): Promise<void> => {
      for (let round = 0; round < 10_000 && taken.length < TAKEN; round++) {
        const rest = await takenFrom(path);
        if (!rest) continue;
        taken.push(rest.fencingToken);
        await leaveAnother();
      }
    };
    await leaveAnother();
    await Promise.all(Array.from({ length: 8 }, takeAndLeave));
    // Most tries find no file, more of them on some versions of Node.
    expect(taken.length).toBeGreaterThanOrEqual(TAKEN / 10);
    expect(new Set(taken).size).toBe(taken.length);
  });

  it('accepts a window file that was moved there and back', async () => {
    await leave();
    renameSync(path, `${path}.elsewhere`);
    renameSync(`${path}.elsewhere`, path);
    expect(await takenFrom(path)).toEqual(REST);
  });

  it.each<[string, () => void]>([
    ['copied', () => copyFileSync(path, `${path}.copy`)],
    ['copied with its times', () => cpSync(path, `${path}.copy`, { preserveTimestamps: true })],
    ['written again', () => writeFileSync(`${path}.copy`, readFileSync(path))],
  ])('refuses a window file that was %s', async (_, copy) => {
    await leave();
    copy();
    expect(await new WindowFile(`${path}.copy`).look()).toEqual(unusable('is a copy'));
    expect(await takenFrom(`${path}.copy`)).toBeUndefined();
    expect(await takenFrom(path)).toEqual(REST);
  });

  it('refuses a copy that replaces a window file, even on the same inode', async () => {
    await leave();
    const text = readFileSync(path);
    expect(await takenFrom(path)).toEqual(REST);
    for (let copies = 0; copies < 20; copies++) {
      writeFileSync(path, text);
      expect(await file.look()).toEqual(unusable('is a copy'));
      unlinkSync(path);
    }
  });

  it('refuses a window file under a second name', async () => {
    await leave();
    symlinkSync(path, `${path}.symbolic`);
    expect(await new WindowFile(`${path}.symbolic`).look()).toEqual(unusable('is a symbolic link', true));
    expect(await takenFrom(`${path}.symbolic`)).toBeUndefined();
    linkSync(path, `${path}.hard`);
    expect(await new WindowFile(`${path}.hard`).look()).toEqual(unusable('has several names'));
    expect(await file.look()).toEqual(unusable('has several names'));
    unlinkSync(`${path}.hard`);
    expect(await takenFrom(path)).toEqual(REST);
  });

  it('detects any damage of a window file', async () => {
    const text = writeRecord({ rest: REST, fileIdentity: 'x' });
    expect(readRecord(text)).toEqual({ kind: 'record', record: { rest: REST, fileIdentity: 'x' } });
    for (let at = 0; at < text.length; at++) {
      const changed =
        text.slice(0, at) + String.fromCodePoint(text.codePointAt(at)! ^ 1) + text.slice(at + 1);
      expect(readRecord(changed).kind).not.toBe('record');
      expect(readRecord(text.slice(0, at)).kind).not.toBe('record');
    }
    expect(readRecord(`${text}\n`).kind).toBe('damaged');
  });

  it.each(['null', '5', '[]', 'no JSON'])(
    'takes a file for damaged whose checksum is right, but whose content is %s',
    (json) => {
      const body = `nestjs-snowflake window 1\n${json}\n`;
      const sum = createHash('sha256').update(body).digest('hex');
      expect(readRecord(`${body}${sum}\n`)).toEqual({ kind: 'damaged' });
    },
  );

  it.each<[string, () => void, unknown]>([
    ['half of one', () => truncateSync(path, 80), unusable('is damaged')],
    ['an empty file', () => truncateSync(path, 0), unusable('is damaged')],
    ["another program's file", () => writeFileSync(path, 'root:x:0:0'), unusable('is not a file', true)],
    ['a huge file', () => truncateSync(path, 1_000_000_000), unusable('is not a file', true)],
    ['a folder', () => (unlinkSync(path), mkdirSync(path)), unusable('is not a file', true)],
  ])('refuses %s in the place of a window file', async (_, damage, seen) => {
    await leave();
    damage();
    expect(await file.look()).toEqual(seen as Found);
    expect(readdirSync(folder)).toEqual(['window']);
  });

  it('recognizes a folder that cannot hold it', async () => {
    await expect(file.checkFolder()).resolves.toBeUndefined();
    expect(readdirSync(folder)).toEqual([]);
    await expect(new WindowFile(join(folder, 'none', 'window')).checkFolder()).rejects.toThrow('ENOENT');
    writeFileSync(join(folder, 'flat'), '');
    await expect(new WindowFile(join(folder, 'flat', 'window')).checkFolder()).rejects.toThrow('ENOTDIR');
  });
});
