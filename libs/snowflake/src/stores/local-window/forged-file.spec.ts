import { jest } from '@jest/globals';
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UnreliableStore } from '../../../../../test/support/leases/unreliable-store.js';
import { StoreUnavailableError } from '../../core/errors/lease-errors.js';
import type { LeaseReply, LeaseStore } from '../../lease/lease-store.js';
import { LONG_WINDOW_MS, MAX_SKEW_MS, requestOf } from '../port/store-under-test.js';
import { VirtualClock } from '../port/virtual-clock.js';
import { fileIdentity } from './file-identity.js';
import { writeRecord } from './window-rest.js';
import { withLocalWindow } from './with-local-window.js';

const YEAR_MS = 365 * 24 * 60 * 60 * 1000;
const FORGED = { workerId: 2, fencingToken: '0123456789abcdef:forged@1' };
const realUser = process.geteuid?.() ?? 0;
const OTHER_USER = realUser + 1;

let root: string;
let folder: string;
let file: string;
let clock: VirtualClock;
let distant: UnreliableStore;
let warnings: string[];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'snowflake-forged-'));
  folder = join(root, 'kept');
  file = join(folder, 'window');
  mkdirSync(folder, { mode: 0o700 });
  clock = new VirtualClock();
  distant = new UnreliableStore(clock, 'shop');
  distant.fault = 'unreachable';
  warnings = [];
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(root, { recursive: true, force: true });
});

describe('a file that another user can have written', () => {
  // Each mistake returns what mends it.
  it.each<[string, () => () => void, RegExp]>([
    ['it belongs to that user', () => giveAway(file), /belongs to user \d+, but this/],
    ['the group can write to it', () => changeMode(file, 0o620), /has mode 0620, so other users/],
    ['everybody can write to it', () => changeMode(file, 0o602), /has mode 0602, so other users/],
    [
      'the group can write to its folder',
      () => changeMode(folder, 0o770),
      /is in a folder with mode 0770, which other users/,
    ],
    [
      'everybody can write to its folder',
      () => changeMode(folder, 0o707),
      /is in a folder with mode 0707, which other users/,
    ],
    ['its folder is theirs', () => giveAway(folder), /user \d+, but this process/],
    ['it is a symbolic link', moveBehindLink, /is a symbolic link/],
    ['it has another name', addName, /has several names/],
  ])('refuses a file with a warning: %s. Without that it is used', async (_, spoil, problem) => {
    forge();
    const mend = spoil();
    expect(await start()).toBe('connection refused');
    expect(warnings.at(-1)).toMatch(problem);
    // What was found, where, what becomes of it, and what to do.
    expect(warnings.at(-1)).toMatch(/^\/.*\/window .*\. The file is not used\. [A-Z].*\.$/);
    mend();
    expect(await start()).toMatchObject({ outcome: 'new', ...FORGED });
  });

  it('uses a file in a folder whose sticky bit keeps it from others', async () => {
    chmodSync(folder, 0o1777);
    forge();
    expect(await start()).toMatchObject(FORGED);
  });

  it('checks form, identity, names and end of a file where files have no owners', async () => {
    // Windows has no such function.
    const owners = jest.spyOn(process as { geteuid(): number | undefined }, 'geteuid');
    owners.mockReturnValue(undefined);
    forge();
    chmodSync(file, 0o666);
    chmodSync(folder, 0o777);
    const removeName = addName();
    expect(await start()).toBe('connection refused');
    expect(warnings).toEqual([expect.stringContaining('has several names')]);
    removeName();
    expect(await start()).toMatchObject(FORGED);
  });
});

describe('the end that a file claims', () => {
  const LATEST_MS = LONG_WINDOW_MS + MAX_SKEW_MS;

  it.each([
    ['one window and maxSkew from now', LATEST_MS],
    ['soon', 1],
  ])('believes a file: %s', async (_, fromNowMs) => {
    forge({ untilMs: clock.now() + fromNowMs });
    expect(await start()).toMatchObject({ ...FORGED, untilMs: clock.now() + fromNowMs });
  });

  it.each([
    ['later than that', LATEST_MS + 1],
    ['next year', YEAR_MS],
    ['no date can say when', Number.MAX_SAFE_INTEGER - Date.parse('2026-01-01')],
  ])('refuses a forged file: %s', async (_, fromNowMs) => {
    forge({ untilMs: clock.now() + fromNowMs });
    expect(await start()).toBe('connection refused');
    expect(warnings).toEqual([
      expect.stringMatching(
        /claims to end at \S+Z, .* \(3600020 ms\) from now.*is not used\. Check the clock/,
      ),
    ]);
  });

  it('refuses a file for a clock that is behind, and for a window that begins later', async () => {
    forge({ untilMs: clock.now() + LATEST_MS, lastUsedMs: clock.now() + LATEST_MS - 1 });
    clock.step(-1);
    expect(await start()).toBe('connection refused');
    clock.step(1);
    expect(await start()).toMatchObject(FORGED);
  });

  it('checks a file again when it is taken', async () => {
    forge({ untilMs: clock.now() + LATEST_MS });
    jest.spyOn(distant, 'lease').mockImplementation(async () => {
      clock.step(-1);
      throw new StoreUnavailableError('connection refused');
    });
    expect(await start()).toBe('connection refused');
    expect(warnings).toEqual([expect.stringContaining('claims to end at')]);
  });
});

describe('a process that stops', () => {
  async function stop(): Promise<'kept' | 'released'> {
    distant.fault = 'none';
    const store = await newProcess();
    const reply = await store.lease(requestOf(1));
    if (reply.outcome !== 'new') throw new Error(`no grant: ${JSON.stringify(reply)}`);
    const released = await store.release({ ...reply, lastUsedMs: clock.now() });
    return 'reservedUntilMs' in released ? 'kept' : 'released';
  }

  it.each(['000', '022', '077'])(
    'leaves a file that only its user can read, whatever its umask: %s',
    async (umask) => {
      const before = process.umask(Number.parseInt(umask, 8));
      try {
        expect(await stop()).toBe('kept');
      } finally {
        process.umask(before);
      }
      expect(statSync(file).mode & 0o7777).toBe(0o600);
    },
  );

  it.each<[string, () => void, RegExp]>([
    ['everybody can write to', () => chmodSync(folder, 0o777), /is in a folder with mode 0777/],
    ['belongs to another user', () => giveAway(folder), /user \d+, but this process runs as user/],
  ])('leaves nothing in a folder that %s, and says so at the start', async (_, spoil, problem) => {
    spoil();
    expect(await stop()).toBe('released');
    expect(warnings[0]).toMatch(problem);
    expect(warnings[0]).toMatch(/No window is kept or used there\. Keep it .*\.$/);
    expect(warnings.at(-1)).toMatch(/could not be kept in \S+ \(it is (in|on) .*is released instead/);
    expect(readdirSync(folder)).toEqual([]);
    expect(distant.registry.fields.get('0')).toBe(`${clock.now()} `);
  });

  it('leaves nothing where its own files would belong to another user', async () => {
    jest.spyOn(process as Required<typeof process>, 'geteuid').mockReturnValue(OTHER_USER);
    expect(await stop()).toBe('released');
    expect(warnings[0]).toMatch(
      /window is on a file system where a new file of this process belongs to user \d+, but this/,
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it('leaves the file of another user alone, and releases the worker ID', async () => {
    forge();
    const takeBack = giveAway(file);
    expect(await stop()).toBe('released');
    takeBack();
    distant.fault = 'unreachable';
    expect(await start()).toMatchObject(FORGED);
  });
});

/** The store of a new process. */
async function newProcess(): Promise<LeaseStore> {
  const store = withLocalWindow(distant, { file, clock });
  await store.open?.({ callTimeoutMs: 1000, warn: (message) => warnings.push(message) });
  return store;
}

/** What a process gets that starts while the store is unreachable. */
async function start(): Promise<LeaseReply | string> {
  warnings = [];
  return (await newProcess()).lease(requestOf(1)).catch((error: Error) => error.message);
}

/** Writes a file as this library does, with everything in it that its reader looks for, and what its writer likes. */
function forge({ path = file, untilMs = clock.now() + 1000, lastUsedMs = 1 } = {}): void {
  writeFileSync(path, '', { mode: 0o600 });
  const rest = {
    ...FORGED,
    store: 'memory namespace "shop"',
    layout: 'contract layout',
    lastUsedMs,
    untilMs,
  };
  const identity = fileIdentity(statSync(path, { bigint: true }));
  writeFileSync(path, writeRecord({ rest, fileIdentity: identity }));
}

/** Only root can give a file away. Another user sees the same from the other side: as the one who is not its owner. */
function giveAway(path: string): () => void {
  if (realUser === 0) {
    chownSync(path, OTHER_USER, OTHER_USER);
    return () => chownSync(path, 0, 0);
  }
  jest.spyOn(process as Required<typeof process>, 'geteuid').mockReturnValue(OTHER_USER);
  return () => jest.restoreAllMocks();
}

function changeMode(path: string, mode: number): () => void {
  const before = statSync(path).mode;
  chmodSync(path, mode);
  return () => chmodSync(path, before);
}

function moveBehindLink(): () => void {
  renameSync(file, `${file}.real`);
  symlinkSync(`${file}.real`, file);
  return () => renameSync(`${file}.real`, file);
}

function addName(): () => void {
  const name = join(root, 'other name');
  linkSync(file, name);
  return () => unlinkSync(name);
}
