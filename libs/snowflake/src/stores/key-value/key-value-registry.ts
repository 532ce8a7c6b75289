import type { LeaseRequest, RegistrySnapshot } from '../../lease/lease-store.js';
import {
  type AsyncLeaseRegistry,
  type RegistryChanges,
  type ServerState,
  Unreadable,
  type WorkerRow,
} from '../protocol/lease-registry.js';
import { readSnapshot, type RegistryHeader, type StoredRow, writeRow } from '../registry-format.js';
import { searchLength } from '../search-limit.js';
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
  private firstGap: number | undefined;

  /** @param claimed the worker ID of the claim, to read its row together with the header */
  constructor(
    private readonly port: KeyValuePort,
    private readonly attempt: Attempt,
    private readonly claimed?: number,
  ) {}

  async header(): Promise<RegistryHeader> {
    const claimedKey = this.claimed === undefined ? [] : [rowKey(this.claimed)];
    const keys = [HEADER_KEY, STAMP_KEY, FRESH_KEY, ...claimedKey];
    let reading = await this.port.read(keys);
    for (let readings = 1; readings < SERVER_READINGS && isSetBack(reading); readings += 1) {
      reading = await this.port.read(keys);
    }
    for (const key of keys) this.seen.set(key, reading.entries.get(key));
    this.stored = headerIn(reading);
    this.serverState = { nowMs: reading.server.nowMs, historyId: reading.server.historyId };
    return protocolHeader(this.stored, isSetBack(reading), reading.entries.get(FRESH_KEY)?.value);
  }

  server(): ServerState {
    return this.serverState;
  }

  async row(workerId: number): Promise<StoredRow | undefined> {
    const key = rowKey(workerId);
    if (!this.seen.has(key)) this.seen.set(key, (await this.port.read([key])).entries.get(key));
    const entry = this.seen.get(key);
    return entry && workerRow(key, entry.value);
  }

  /** An unreadable row is at one of the two ends. A later attempt takes one of several offline ones. */
  async earliest(request: LeaseRequest): Promise<WorkerRow | undefined> {
    const limit = 2 ** Math.min(this.attempt.index, 10);
    const rows = this.keep(await this.port.outermost({ ...searched(request), limit }));
    const offline = rows.filter(({ reservedUntilMs }) => reservedUntilMs < this.serverState.nowMs);
    return this.attempt.index === 0 || offline.length === 0
      ? rows[0]
      : offline[this.attempt.choose(offline.length)];
  }

  async grantsOf(request: LeaseRequest): Promise<readonly WorkerRow[]> {
    const rows = this.keep(await this.port.entries({ ...searched(request), limit: request.workerCount }));
    return rows.filter(({ fencingToken }) => fencingToken.startsWith(`${request.nonce}@`));
  }

  /** A later attempt skips some unused worker IDs, at random, because others want the first one, too. */
  async usedInARow(first: number, limit: number): Promise<number> {
    const before = first + limit;
    const used = await this.port.entries({ ...rowsOf(first, limit), limit });
    const spread = this.attempt.index === 0 ? 1 : FIRST_SPREAD * 2 ** Math.min(this.attempt.index - 1, 10);
    const gaps: number[] = [];
    for (let id = first; id < before && gaps.length < spread; id += 1)
      if (!used.has(rowKey(id))) gaps.push(id);
    this.firstGap = gaps[0];
    return (gaps[gaps.length > 1 ? this.attempt.choose(gaps.length) : 0] ?? before) - first;
  }

  /** If any worker ID has a row, the namespace is not new. */
  async isNew({ assumeNew }: LeaseRequest): Promise<boolean> {
    return assumeNew && (await this.port.entries({ ...ALL_ROWS, limit: 1 })).size === 0;
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
    if (fresh !== undefined) puts.set(FRESH_KEY, this.hint(Number(fresh), row?.workerId));
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

  /** The hint never passes an unused worker ID, because nobody would find it again. */
  private hint(fresh: number, granted: number | undefined): string {
    const skipsGap = this.firstGap !== undefined && granted !== this.firstGap;
    return String(skipsGap ? Math.min(fresh, this.firstGap ?? fresh) : fresh);
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
    const header = protocolHeader(
      headerIn(reading),
      isSetBack(reading),
      reading.entries.get(FRESH_KEY)?.value,
    );
    for (const [field, value] of Object.entries(header)) fields.set(field, value);
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
  const { before, first } = rowsOf(0, 2 ** 31);
  for (let next = first; ;) {
    const page = [...(await port.entries({ first: next, before, limit: PAGE }))];
    for (const [key, entry] of page) all.set(key, entry);
    const last = page.at(-1);
    if (!last || page.length < PAGE) return all;
    next = rowKey(workerIdOf(last[0]) + 1);
  }
}

function headerIn({ entries }: Reading): StoredHeader {
  return readHeader(entries.get(HEADER_KEY), entries.get(STAMP_KEY));
}

function isSetBack(reading: Reading): boolean {
  return isBehind(headerIn(reading), reading.server);
}

/** Returns the rows that one call searches: all or, if there are too many, a stretch that begins at a random worker ID. */
function searched({ firstWorkerId, workerCount, searchSeed }: LeaseRequest): Omit<KeyRange, 'limit'> {
  const length = searchLength(workerCount);
  return rowsOf(firstWorkerId + (searchSeed % (workerCount - length + 1)), length);
}

function rowsOf(first: number, count: number): Omit<KeyRange, 'limit'> {
  return { first: rowKey(first), before: rowKey(first + count) };
}
