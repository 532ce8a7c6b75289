import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileIdentity } from './file-identity.js';
import { readRecord, type WindowRest, writeRecord } from './window-rest.js';

/** What stands at the place of the file. */
export type Found =
  | { readonly kind: 'absent' }
  | { readonly kind: 'rest'; readonly rest: WindowRest }
  /** Nothing that could be used. `isForeign`: it is not this library's, and must not be touched. */
  | { readonly kind: 'unusable'; readonly isForeign: boolean; readonly problem: string };

/** Far more than a record has. */
const MAX_BYTES = 16_384;
const OWNER_ONLY = 0o600;
/** A link would let one file be taken under two names; and no pipe may hold up a start. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * The file in which a process leaves the rest of its window for the next one.
 *
 * A rest is taken at most once, whoever asks and wherever a process or the machine dies: {@link take} gives the file a
 * name of its own before it reads it, which can succeed only once for one file, and has the directory written to disk
 * before it tells what stood in it.
 */
export class WindowFile {
  readonly path: string;
  private readonly folder: string;

  constructor(path: string) {
    this.path = resolve(path);
    this.folder = dirname(this.path);
  }

  /** Rejects where the folder is missing, is none, or cannot be written through to the disk. */
  async checkFolder(): Promise<void> {
    const trial = this.besides('trial');
    await (await open(trial, 'wx', OWNER_ONLY)).close();
    await unlink(trial);
    await this.syncFolder();
  }

  /** Looks without changing anything. What it sees is no right to use it: see {@link take}. */
  look(): Promise<Found> {
    return this.read(this.path);
  }

  /**
   * Takes the rest out: from now on nobody else can, not even after a crash of the machine.
   *
   * @returns undefined when there is none, or when another process was faster
   */
  async take(): Promise<WindowRest | undefined> {
    const taken = this.besides('taken');
    try {
      await rename(this.path, taken);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
    await this.syncFolder();
    const found = await this.read(taken);
    await unlink(taken);
    return found.kind === 'rest' ? found.rest : undefined;
  }

  /** Writes a rest to disk under another name, where no process looks. @returns the name */
  async draft(rest: WindowRest): Promise<string> {
    const draft = this.besides('new');
    const handle = await open(draft, 'wx', OWNER_ONLY);
    try {
      const identity = fileIdentity(await handle.stat({ bigint: true }));
      await handle.writeFile(writeRecord({ rest, fileIdentity: identity }));
      await handle.sync();
    } finally {
      await handle.close();
    }
    return draft;
  }

  /** Leaves a drafted rest for the next process. Once called, the next process may have it even when this rejects. */
  async publish(draft: string): Promise<void> {
    await rename(draft, this.path);
    await this.syncFolder();
  }

  /** Removes the file. Harmless when there is none. */
  async remove(): Promise<void> {
    try {
      await unlink(this.path);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  private async read(path: string): Promise<Found> {
    let handle: FileHandle | undefined;
    try {
      handle = await open(path, READ_FLAGS);
      return await this.readOpen(handle);
    } catch (error) {
      if (isMissing(error)) return { kind: 'absent' };
      return unusable(true, `cannot be read (${(error as Error).message})`);
    } finally {
      await handle?.close();
    }
  }

  private async readOpen(handle: FileHandle): Promise<Found> {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile() || stats.size > MAX_BYTES) return unusable(true, 'is no file of this library');
    const read = readRecord(await handle.readFile('utf8'));
    if (read.kind === 'foreign') return unusable(true, 'is no file of this library');
    if (read.kind === 'damaged') return unusable(false, 'is damaged');
    // A second link to it is a second name under which it could be taken.
    if (read.record.fileIdentity !== fileIdentity(stats) || stats.nlink !== 1n) {
      return unusable(false, 'is a copy, or was written before the last start of this machine');
    }
    return { kind: 'rest', rest: read.record.rest };
  }

  private async syncFolder(): Promise<void> {
    const handle = await open(this.folder, constants.O_RDONLY);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }

  private besides(purpose: string): string {
    return `${this.path}.${randomBytes(8).toString('hex')}.${purpose}`;
  }
}

function unusable(isForeign: boolean, problem: string): Found {
  return { kind: 'unusable', isForeign, problem };
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
