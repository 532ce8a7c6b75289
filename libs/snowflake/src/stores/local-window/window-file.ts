import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileIdentity } from './file-identity.js';
import {
  type Distrust,
  distrustOfFolder,
  distrustOfMode,
  distrustOfNewFile,
  distrustOfOwner,
} from './file-trust.js';
import { readRecord, type WindowRest, writeRecord } from './window-rest.js';

/** The result of looking at the path of the file. */
export type Found =
  | { readonly kind: 'absent' }
  | { readonly kind: 'rest'; readonly rest: WindowRest }
  /** The file can't be used. `isForeign`: it is not this library's, and must not be touched. */
  | {
      readonly kind: 'unusable';
      readonly isForeign: boolean;
      /** The end of a sentence that starts with the path. */
      readonly problem: string;
      /** What to do about it, as a full sentence. */
      readonly remedy: string;
    };

/** Far larger than any record. */
const MAX_BYTES = 16_384;
const OWNER_ONLY = 0o600;
/** A link would let one file be used under two names, and a pipe would block the start. */
const NO_LINK_NO_WAIT = constants.O_NOFOLLOW | constants.O_NONBLOCK;
const LOOK_FLAGS = constants.O_RDONLY | NO_LINK_NO_WAIT;
const CONSUME_FLAGS = constants.O_RDWR | NO_LINK_NO_WAIT;
const LINK_CODES: readonly unknown[] = ['ELOOP', 'EMLINK'];
const REPLACED = 'No action needed: the next stop replaces it.';
const ONE_NAME = 'Delete the other names.';
const OTHER_PATH = 'Choose another path: this library does not touch that file.';

/**
 * The file in which a process leaves the rest of its window for the next one.
 *
 * A rest is used at most once, even if processes race or the machine crashes: {@link consume} renames the file to a unique
 * name before it reads it, which only one process can do, and writes the directory to disk before it returns the content.
 * It also empties the file, in case the file has been given other names.
 *
 * A rest is used only if no other user can have written it. The checks use the open file and the open folder, so that
 * neither can be replaced between the check and the use.
 */
export class WindowFile {
  readonly path: string;
  private readonly folder: string;

  constructor(path: string) {
    this.path = resolve(path);
    this.folder = dirname(this.path);
  }

  /**
   * Rejects if the folder is missing, is not a folder, or cannot be flushed to disk.
   *
   * @returns why no rest is used or left there, if there is a reason
   */
  async checkFolder(): Promise<Distrust | undefined> {
    const trial = this.besides('trial');
    const handle = await open(trial, 'wx', OWNER_ONLY);
    const stats = await handle.stat({ bigint: true }).finally(() => handle.close());
    await unlink(trial);
    await this.syncFolder();
    return distrustOfNewFile(stats) ?? (await this.inFolder(folderDistrust));
  }

  /** Reads the file without changing anything. Only {@link consume} gives the right to use it. */
  look(): Promise<Found> {
    return this.read(this.path, LOOK_FLAGS);
  }

  /**
   * Consumes the rest: from now on no other process can use it, even after a crash of the machine.
   *
   * @returns `absent` if there is no file, or another process was faster
   */
  async consume(): Promise<Found> {
    const used = this.besides('used');
    try {
      await rename(this.path, used);
    } catch (error) {
      if (isMissing(error)) return { kind: 'absent' };
      throw error;
    }
    await this.syncFolder();
    const found = await this.read(used, CONSUME_FLAGS);
    if (found.kind === 'rest' || isOwn(found)) await unlink(used);
    return found;
  }

  /**
   * Writes a rest to disk under a temporary name that no process reads. Rejects if the next process would not use it.
   *
   * @returns the temporary name
   */
  async draft(rest: WindowRest): Promise<string> {
    refuse(await this.inFolder(folderDistrust));
    const draft = this.besides('new');
    const handle = await open(draft, 'wx', OWNER_ONLY);
    try {
      const stats = await handle.stat({ bigint: true });
      refuse(distrustOfNewFile(stats));
      await handle.writeFile(writeRecord({ rest, fileIdentity: fileIdentity(stats) }));
      await handle.sync();
    } catch (error) {
      await unlink(draft).catch(() => undefined);
      throw error;
    } finally {
      await handle.close();
    }
    return draft;
  }

  /** Leaves a drafted rest for the next process. The next process may get it even if this rejects. */
  async publish(draft: string): Promise<void> {
    await rename(draft, this.path);
    await this.syncFolder();
  }

  /** Removes the file if it exists. */
  async remove(): Promise<void> {
    try {
      await unlink(this.path);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  private async read(path: string, flags: number): Promise<Found> {
    let handle: FileHandle | undefined;
    try {
      handle = await open(path, flags);
      const found = await this.readOpen(handle);
      if (found.kind !== 'rest') return found;
      const distrust = await this.inFolder(folderDistrust);
      if (distrust) return unusable(false, distrust);
      if (flags === CONSUME_FLAGS) await handle.truncate();
      return found;
    } catch (error) {
      if (isMissing(error)) return { kind: 'absent' };
      return unusable(true, { problem: problemOf(error as NodeJS.ErrnoException), remedy: OTHER_PATH });
    } finally {
      await handle?.close();
    }
  }

  private async readOpen(handle: FileHandle): Promise<Found> {
    const stats = await handle.stat({ bigint: true });
    const strange = { problem: 'is not a file of this library', remedy: OTHER_PATH };
    if (!stats.isFile() || stats.size > MAX_BYTES) return unusable(true, strange);
    const distrust = distrustOfOwner(stats);
    if (distrust) return unusable(true, distrust);
    const read = readRecord(await handle.readFile('utf8'));
    if (read.kind === 'foreign') return unusable(true, strange);
    if (read.kind === 'damaged') return unusable(false, { problem: 'is damaged', remedy: REPLACED });
    if (read.record.fileIdentity !== fileIdentity(stats)) {
      const problem = 'is a copy, or was written before the last start of this machine';
      return unusable(false, { problem, remedy: REPLACED });
    }
    // The file could be used under each of its names.
    if (stats.nlink !== 1n)
      return unusable(false, { problem: 'has several names (hard links)', remedy: ONE_NAME });
    const changed = distrustOfMode(stats);
    return changed ? unusable(false, changed) : { kind: 'rest', rest: read.record.rest };
  }

  private syncFolder(): Promise<void> {
    return this.inFolder((folder) => folder.sync());
  }

  private async inFolder<Result>(action: (folder: FileHandle) => Promise<Result>): Promise<Result> {
    const handle = await open(this.folder, constants.O_RDONLY);
    try {
      return await action(handle);
    } finally {
      await handle.close();
    }
  }

  private besides(purpose: string): string {
    return `${this.path}.${randomBytes(8).toString('hex')}.${purpose}`;
  }
}

async function folderDistrust(folder: FileHandle): Promise<Distrust | undefined> {
  return distrustOfFolder(await folder.stat({ bigint: true }));
}

function refuse(distrust: Distrust | undefined): void {
  if (distrust) throw new Error(`it ${distrust.problem}`);
}

function unusable(isForeign: boolean, distrust: Distrust): Found {
  return { kind: 'unusable', isForeign, ...distrust };
}

/** Whether this library has written a file that can't be used. */
export function isOwn(found: Found): boolean {
  return found.kind === 'unusable' && !found.isForeign;
}

function problemOf({ code, message }: NodeJS.ErrnoException): string {
  return LINK_CODES.includes(code) ? 'is a symbolic link' : `cannot be read (${message})`;
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
