import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqlSegmentStore } from 'nestjs-snowflake-segments';
import type { TagSnapshot } from 'nestjs-snowflake-segments/store';
import {
  type Kind,
  makeDatabase,
  type TestDatabase,
} from '../../../../integration/sql-store/support/databases.js';
import { spawnChild, type TestChild } from '../../../../support/child.js';
import { waitFor } from '../../../../support/wait.js';
import type { ClaimingJob } from './claiming-job.js';

const TIMEOUT_MS = 300_000;

interface Issuer {
  readonly child: TestChild;
  readonly numbersFile: string;
}

/** Processes that issue numbers of one tag on one database. */
export class Issuers {
  private readonly folder = mkdtempSync(join(tmpdir(), 'snowflake-segment-processes-'));
  private readonly all: Issuer[] = [];

  private constructor(
    private readonly kind: Kind,
    private readonly database: TestDatabase,
  ) {}

  static async on(kind: Kind): Promise<Issuers> {
    return new Issuers(kind, await makeDatabase(kind, 'segment-processes'));
  }

  /** Starts a process for each table, and lets all begin when each has its first segment. */
  async begin(tables: readonly string[], count: number): Promise<readonly TestChild[]> {
    const issuers = tables.map((tableName) => this.spawn(tableName, count));
    await Promise.all(issuers.map(({ child }) => received(child, 'ready')));
    for (const { child } of issuers) child.send({ order: 'go' });
    return issuers.map(({ child }) => child);
  }

  async untilIssued(children: readonly TestChild[]): Promise<void> {
    await Promise.all(children.map((child) => received(child, 'issued')));
  }

  async untilSomeIssued(child: TestChild, count: number): Promise<void> {
    const { numbersFile } = this.all.find((issuer) => issuer.child === child)!;
    await waitFor('numbers', TIMEOUT_MS, () => {
      const { size = 0 } = statSync(numbersFile, { throwIfNoEntry: false }) ?? {};
      return size >= count * 8;
    });
  }

  /** As an orchestrator stops them. */
  async terminate(children: readonly TestChild[]): Promise<void> {
    for (const { pid } of children) process.kill(pid, 'SIGTERM');
    await Promise.all(children.map((child) => child.untilEnd(TIMEOUT_MS)));
  }

  /** The numbers of each process. One that was killed may have written a part of its last one. */
  numbers(): Float64Array[] {
    return this.all.map(({ numbersFile }) => {
      // It may have been killed before its first number.
      if (!existsSync(numbersFile)) return new Float64Array();
      const bytes = Uint8Array.from(readFileSync(numbersFile));
      return new Float64Array(bytes.buffer, 0, Math.floor(bytes.length / 8));
    });
  }

  async tag(tableName: string): Promise<TagSnapshot> {
    const store = sqlSegmentStore({ dataSource: this.database.options, tableName });
    store.open?.({ callTimeoutMs: 30_000 });
    try {
      const [tag] = (await store.inspect()).tags;
      if (!tag) throw new Error('no tag');
      return tag;
    } finally {
      await store.close();
    }
  }

  async remove(): Promise<void> {
    await Promise.all(this.all.map(({ child }) => child.kill()));
    await this.database.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private spawn(tableName: string, count: number): Issuer {
    const numbersFile = join(this.folder, `numbers-${this.all.length}`);
    const { options } = this.database;
    const dataSource =
      this.kind === 'SQLite' ? { sqliteFile: String(options.database) } : { ...options, driver: undefined };
    const job = { dataSource, tableName, numbersFile, count } as ClaimingJob;
    const child = spawnChild(new URL('../children/issuer.ts', import.meta.url), {
      args: [JSON.stringify(job)],
    });
    const issuer = { child, numbersFile };
    this.all.push(issuer);
    return issuer;
  }
}

async function received(child: TestChild, word: string): Promise<void> {
  const isWord = (message: unknown): message is object => Reflect.get(Object(message), 'status') === word;
  await child.next(isWord, TIMEOUT_MS);
}
