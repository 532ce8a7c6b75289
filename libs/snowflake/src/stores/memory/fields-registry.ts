import type { LeaseRequest } from '../../lease/lease-store.js';
import {
  type GrantSearch,
  type LeaseRegistry,
  type RegistryChanges,
  type ServerState,
  type UnusedWorkerId,
  type WorkerRow,
  Unreadable,
} from '../protocol/lease-registry.js';
import { type RegistryHeader, type StoredRow, readRow, writeRow } from '../registry-format.js';
import { searchLength } from '../search-limit.js';

/** A registry in text fields, in the format of the Redis hash. */
export class FieldsRegistry implements LeaseRegistry {
  constructor(
    private readonly fields: Map<string, string>,
    private readonly state: ServerState,
  ) {}

  header(): RegistryHeader {
    return Object.fromEntries(this.fields);
  }

  server(): ServerState {
    return this.state;
  }

  row(workerId: number): StoredRow | undefined {
    const stored = this.fields.get(String(workerId));
    if (stored === undefined) return undefined;
    const row = readRow(stored);
    if (!row) throw new Unreadable(String(workerId), stored);
    return row;
  }

  nextFree(request: LeaseRequest): WorkerRow | undefined {
    return this.search(request).sort(
      (a, b) => a.reservedUntilMs - b.reservedUntilMs || a.workerId - b.workerId,
    )[0];
  }

  grantsOf(request: GrantSearch): readonly WorkerRow[] {
    return this.search(request).filter(({ fencingToken }) => fencingToken.startsWith(`${request.nonce}@`));
  }

  findUnused(first: number, count: number): UnusedWorkerId | undefined {
    for (let workerId = first; workerId < first + count; workerId += 1)
      if (!this.fields.has(String(workerId))) return { workerId, lowest: workerId };
    return undefined;
  }

  isNew({ assumeNew }: LeaseRequest): boolean {
    return assumeNew;
  }

  hasAllRows(): boolean {
    return true;
  }

  write({ header, row }: RegistryChanges): void {
    for (const [field, value] of header) this.fields.set(field, value);
    if (row) this.fields.set(String(row.workerId), writeRow(row));
  }

  /** Returns the rows in ascending order: of all worker IDs or, if there are too many, of a stretch that wraps around. */
  private search({ firstWorkerId, workerCount, searchSeed }: Omit<GrantSearch, 'nonce'>): WorkerRow[] {
    const workerIds = Array.from(
      { length: searchLength(workerCount) },
      (_, offset) => firstWorkerId + ((searchSeed + offset) % workerCount),
    );
    return workerIds
      .sort((a, b) => a - b)
      .flatMap((workerId) => {
        const row = this.row(workerId);
        return row ? [{ workerId, ...row }] : [];
      });
  }
}
