import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type {
  LeaseReply,
  LeaseRequest,
  LeaseStore,
  RegistrySnapshot,
  ReleaseReply,
  ReleaseRequest,
} from '../../libs/snowflake/src/lease/lease-store.js';
import { checkLeaseRequest, checkReleaseRequest } from '../../libs/snowflake/src/stores/check-request.js';
import {
  leaseTransaction,
  releaseTransaction,
} from '../../libs/snowflake/src/stores/protocol/lease-transaction.js';
import type {
  LeaseRegistry,
  RegistryChanges,
  UnusedWorkerId,
  WorkerRow,
} from '../../libs/snowflake/src/stores/protocol/lease-registry.js';
import { executeNow } from '../../libs/snowflake/src/stores/protocol/registry-calls.js';
import {
  readSnapshot,
  type RegistryHeader,
  writeRow,
} from '../../libs/snowflake/src/stores/registry-format.js';

interface Content {
  readonly header: RegistryHeader;
  readonly rows: Readonly<Record<string, WorkerRow>>;
}

/** Answers the protocol from a file that one process uses. */
class JsonFileRegistry implements LeaseRegistry {
  constructor(private readonly file: string) {}

  content(): Content {
    return JSON.parse(readFileSync(this.file, 'utf8')) as Content;
  }
  header(): RegistryHeader {
    return this.content().header;
  }
  server(): { nowMs: number; historyId: string } {
    return { nowMs: Date.now(), historyId: this.file };
  }
  row(workerId: number): WorkerRow | undefined {
    return this.content().rows[workerId];
  }
  rows(): WorkerRow[] {
    return Object.values(this.content().rows);
  }
  nextFree(): WorkerRow | undefined {
    return this.rows().sort((a, b) => a.reservedUntilMs - b.reservedUntilMs || a.workerId - b.workerId)[0];
  }
  grantsOf({ nonce }: LeaseRequest): WorkerRow[] {
    return this.rows().filter(({ fencingToken }) => fencingToken.startsWith(`${nonce}@`));
  }
  findUnused(first: number, count: number): UnusedWorkerId | undefined {
    const { rows } = this.content();
    const workerId = Array.from({ length: count }, (_, index) => first + index).find((id) => !(id in rows));
    return workerId === undefined ? undefined : { workerId, lowest: workerId };
  }
  isNew({ assumeNew }: LeaseRequest): boolean {
    return assumeNew;
  }
  hasAllRows(): boolean {
    return true;
  }
  write({ header, row }: RegistryChanges): void {
    const before = this.content();
    const after: Content = {
      header: { ...before.header, ...Object.fromEntries(header) },
      rows: row ? { ...before.rows, [row.workerId]: row } : before.rows,
    };
    writeFileSync(`${this.file}.new`, JSON.stringify(after));
    renameSync(`${this.file}.new`, this.file);
  }
}

/** How little a store has to do: the protocol is the library's. For one process; it shows no loss. */
export class JsonFileStore implements LeaseStore {
  readonly renewable = true;
  readonly description: string;
  private readonly registry: JsonFileRegistry;

  constructor(file: string) {
    this.description = `JSON file ${file}`;
    this.registry = new JsonFileRegistry(file);
    writeFileSync(file, JSON.stringify({ header: {}, rows: {} }));
  }
  async lease(request: LeaseRequest): Promise<LeaseReply> {
    checkLeaseRequest(request);
    return executeNow(leaseTransaction(request), this.registry);
  }
  async release(request: ReleaseRequest): Promise<ReleaseReply> {
    checkReleaseRequest(request);
    const reply = executeNow(releaseTransaction(request), this.registry);
    if (reply.outcome === 'corrupt') throw new Error(reply.field);
    return reply;
  }
  async inspect(): Promise<RegistrySnapshot> {
    const { header, rows } = this.registry.content();
    const fields = Object.entries(rows).map(([workerId, row]) => [workerId, writeRow(row)] as const);
    return readSnapshot(new Map([...Object.entries(header), ...fields]), Date.now());
  }
  async close(): Promise<void> {}
}
