import type { LeaseRequest, RegistrySnapshot, ServerState } from 'nestjs-snowflake/store';
import {
  type AsyncLeaseRegistry,
  type GrantSearch,
  type RegistryChanges,
  Unreadable,
  type UnusedWorkerId,
  type WorkerRow,
} from 'nestjs-snowflake/internal/stores/protocol/lease-registry';
import {
  readSnapshot,
  type RegistryHeader,
  type StoredRow,
  writeRow,
} from 'nestjs-snowflake/internal/stores/registry-format';
import { searchLength } from 'nestjs-snowflake/internal/stores/search-limit';
import { type Entry, type KeyRange, type KeyValuePort, Overtaken, type Reading } from './key-value-port.js';
import { readRowValue, rowKey, rowValue, workerIdOf, workerRow } from './row-format.js';
import {
  FRESH_KEY,
  HEADER_KEY,
  isBehind,
  protocolHeader,
  readHeader,
  STAMP_KEY,
  type StoredHeader,
  writeHeader,
} from './stored-header.js';

/** How often a server behind the header is asked again: it may only lag, or have paused while it answered. */
const SERVER_READINGS = 3;
/** How many worker IDs the second attempt chooses from; each later one has twice as many. */
const FIRST_SPREAD = 16;
/** How many rows the second attempt reads with the header, at random; each later one reads four times as many, up to the limit. */
const FIRST_PROBES = 4;
const PROBES_LIMIT = 64;
/** How many rows one reading of the whole registry asks for. */
const PAGE = 1000;

const ALL_ROWS = rowsOf(0, 2 ** 31);

/** Chooses a whole number below `count`. */
export type Choose = (count: number) => number;

/** What one attempt of a call is. */
export interface Attempt {
  /** 0 for the first one, which takes what every other store takes. A later one was overtaken, and spreads. */
  readonly index: number;
  readonly choose: Choose;
  /** Called when the header has been read: what follows must not take long. */
  hasRead?(): void;
}

/**
 * Answers one attempt of a call from keys and values. It holds no lock: the write has the condition that the header and the row that it
 * changes are as they were read, so of two calls that meet one is overtaken and begins again. Everything else that is read only
 * suggests a row.
 */
export class KeyValueRegistry implements AsyncLeaseRegistry {
  private readonly seen = new Map<string, Entry | undefined>();
  private stored: StoredHeader | undefined;
  private serverState: ServerState = { nowMs: 0, historyId: '' };
  /** The highest worker ID that has a row, if it is known; -1 if none has one. */
  private lastUsed: number | undefined;
  /** Worker IDs whose rows were read with the header. */
  private readonly probed: ReadonlySet<number>;

  /** @param request to read its row, or some that it could get, together with the header */
  constructor(
    private readonly port: KeyValuePort,
    private readonly attempt: Attempt,
    private readonly request?: LeaseRequest,
  ) {
    this.probed = new Set(request && !request.claim ? probes(request, attempt) : []);
  }

  async header(): Promise<RegistryHeader> {
    const { claim } = this.request ?? {};
    const rows = claim ? [claim.workerId] : [...this.probed];
    const keys = [HEADER_KEY, STAMP_KEY, FRESH_KEY, ...rows.map(rowKey)];
    const isFirst = this.request !== undefined && !claim && this.attempt.index === 0;
    const lastOf = isFirst ? [ALL_ROWS] : [];
    let reading = await this.port.read(keys, ...lastOf);
    for (let readings = 1; readings < SERVER_READINGS && isServerBehind(reading); readings += 1) {
      reading = await this.port.read(keys, ...lastOf);
    }
    if (isFirst) this.lastUsed = reading.lastKey === undefined ? -1 : workerIdOf(reading.lastKey);
    this.attempt.hasRead?.();
    for (const key of keys) this.seen.set(key, reading.entries.get(key));
    this.stored = storedHeaderIn(reading);
    this.serverState = { nowMs: reading.server.nowMs, historyId: reading.server.historyId };
    return headerIn(reading);
  }

  server(): ServerState {
    return this.serverState;
  }

  async row(workerId: number): Promise<StoredRow | undefined> {
    const key = rowKey(workerId);
    if (!this.seen.has(key)) this.seen.set(key, await this.port.entry(key));
    const entry = this.seen.get(key);
    return entry && workerRow(key, entry.value);
  }

  /** Reads both ends, because an unreadable row is at one of them. A later attempt returns one of several offline rows. */
  async nextFree(request: LeaseRequest): Promise<WorkerRow | undefined> {
    const probed = this.longestOfflineProbed();
    if (probed) return probed;
    const limit = 2 ** Math.min(this.attempt.index, 10);
    const rows = this.keep(await this.port.outermost(searched(request), limit));
    const offline = rows.filter(({ reservedUntilMs }) => reservedUntilMs < this.serverState.nowMs);
    return this.attempt.index === 0 || offline.length === 0
      ? rows[0]
      : offline[this.attempt.choose(offline.length)];
  }

  async grantsOf(request: GrantSearch): Promise<readonly WorkerRow[]> {
    const rows = this.keep(await this.port.entries(searched(request), request.workerCount));
    return rows.filter(({ fencingToken }) => fencingToken.startsWith(`${request.nonce}@`));
  }

  /** The first attempt returns the lowest one. A later attempt chooses one of several at random, because others want the lowest as well. */
  async findUnused(first: number, count: number): Promise<UnusedWorkerId | undefined> {
    const before = first + count;
    if (this.lastUsed !== undefined && this.lastUsed < first) return { workerId: first, lowest: first };
    const probed = [...this.probed].find((id) => id >= first && id < before && !this.seen.get(rowKey(id)));
    if (probed !== undefined) return { workerId: probed, lowest: first };
    const used = await this.port.entries(rowsOf(first, count), count);
    const spread = this.attempt.index === 0 ? 1 : FIRST_SPREAD * 2 ** Math.min(this.attempt.index - 1, 10);
    const unused: number[] = [];
    for (let id = first; id < before && unused.length < spread; id += 1)
      if (!used.has(rowKey(id))) unused.push(id);
    const [lowest] = unused;
    if (lowest === undefined) return undefined;
    return { workerId: unused[unused.length > 1 ? this.attempt.choose(unused.length) : 0] ?? lowest, lowest };
  }

  private longestOfflineProbed(): WorkerRow | undefined {
    const rows = [...this.probed].flatMap((workerId) => {
      const entry = this.seen.get(rowKey(workerId));
      const row = entry && readRowValue(workerId, entry.value);
      return row && row.reservedUntilMs < this.serverState.nowMs ? [{ workerId, ...row }] : [];
    });
    return rows.sort((a, b) => a.reservedUntilMs - b.reservedUntilMs || a.workerId - b.workerId)[0];
  }

  /** If any worker ID has a row, the namespace is not new. */
  async isNew({ assumeNew }: LeaseRequest): Promise<boolean> {
    return assumeNew && (await this.port.entries(ALL_ROWS, 1)).size === 0;
  }

  /** Rows that are put back without the header are not recognized. */
  hasAllRows(): boolean {
    return true;
  }

  /** @throws Overtaken */
  async write({ header, row, before }: RegistryChanges): Promise<void> {
    const conditions = new Map<string, string | undefined>();
    const puts = new Map<string, string>();
    if (this.stored) conditions.set(HEADER_KEY, this.seen.get(HEADER_KEY)?.version);
    const { fresh, ...others } = Object.fromEntries(header);
    if (fresh !== undefined && fresh !== this.seen.get(FRESH_KEY)?.value) puts.set(FRESH_KEY, fresh);
    if (this.stored && Object.keys(others).length > 0) {
      const changes = new Map(Object.entries(others));
      puts.set(HEADER_KEY, writeHeader(this.stored, changes, await this.port.marks()));
      puts.set(STAMP_KEY, '');
    }
    if (row) {
      const key = rowKey(row.workerId);
      conditions.set(key, before && this.seen.get(key)?.version);
      puts.set(key, rowValue(row));
    }
    if (!(await this.port.commit({ conditions, puts }))) throw new Overtaken();
  }

  private keep(entries: ReadonlyMap<string, Entry>): WorkerRow[] {
    return [...entries].map(([key, entry]) => {
      this.seen.set(key, entry);
      return workerRow(key, entry.value);
    });
  }
}

/** Reads everything. */
export async function readRegistry(port: KeyValuePort): Promise<RegistrySnapshot> {
  const fields = new Map<string, string>();
  const reading = await port.read([HEADER_KEY, STAMP_KEY, FRESH_KEY]);
  let damage: Unreadable | undefined;
  try {
    for (const [field, value] of Object.entries(headerIn(reading))) fields.set(field, value);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    damage = error;
  }
  for (const [key, { value }] of await allRows(port)) {
    const row = readRowValue(workerIdOf(key), value);
    fields.set(String(workerIdOf(key)), row ? writeRow(row) : value);
  }
  const snapshot = readSnapshot(fields, reading.server.nowMs);
  if (!damage) return snapshot;
  const { field, stored } = damage;
  return { ...snapshot, unreadable: [{ field, stored }, ...(snapshot.unreadable ?? [])] };
}

async function allRows(port: KeyValuePort): Promise<ReadonlyMap<string, Entry>> {
  const all = new Map<string, Entry>();
  for (let range = ALL_ROWS; ;) {
    const page = [...(await port.entries(range, PAGE))];
    for (const [key, entry] of page) all.set(key, entry);
    const last = page.at(-1);
    if (!last || page.length < PAGE) return all;
    range = { ...range, first: rowKey(workerIdOf(last[0]) + 1) };
  }
}

/** Returns the header as the protocol reads it. @throws Unreadable */
function headerIn(reading: Reading): RegistryHeader {
  const fresh = reading.entries.get(FRESH_KEY)?.value;
  return protocolHeader(storedHeaderIn(reading), isServerBehind(reading), fresh);
}

function storedHeaderIn({ entries }: Reading): StoredHeader {
  return readHeader(entries.get(HEADER_KEY), entries.get(STAMP_KEY));
}

function isServerBehind(reading: Reading): boolean {
  return isBehind(storedHeaderIn(reading), reading.server);
}

/**
 * Returns the worker IDs that an attempt looks at first: none at first, and then some at random. A crowd that wants the same worker ID
 * scatters, and nobody reads a thousand rows again and again.
 */
function probes({ firstWorkerId, workerCount }: LeaseRequest, { index, choose }: Attempt): number[] {
  if (index === 0) return [];
  const count = Math.min(PROBES_LIMIT, FIRST_PROBES * 4 ** Math.min(index - 1, 10), workerCount);
  return Array.from({ length: count }, () => firstWorkerId + choose(workerCount));
}

/** Returns the rows that one call searches: all or, if there are too many, a stretch that begins at a random worker ID. */
function searched({ firstWorkerId, workerCount, searchSeed }: Omit<GrantSearch, 'nonce'>): KeyRange {
  const length = searchLength(workerCount);
  return rowsOf(firstWorkerId + (searchSeed % (workerCount - length + 1)), length);
}

function rowsOf(first: number, count: number): KeyRange {
  return { first: rowKey(first), before: rowKey(first + count) };
}
