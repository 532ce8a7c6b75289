import type { CallDeadline, StoreSettings } from 'nestjs-snowflake/store';

/** A value of a key. */
export interface Entry {
  readonly value: string;
  /** Names this state of the key, for conditions. Every write makes another one. */
  readonly version: string;
  /** Names the commit that wrote it: two keys with the same one were last written together. */
  readonly commit: string;
}

/** What a server reports about itself with each reading. */
export interface KeyValueServer {
  /** The server's clock, whole Unix milliseconds. */
  readonly nowMs: number;
  /** Names the history of the server. */
  readonly historyId: string;
  /**
   * An upper bound of the position: the server's own number that never falls within a history. It shows a history that was rolled back
   * and kept its name. `undefined` if the server has none, or hides it.
   */
  readonly positionAtMost: bigint | undefined;
  /**
   * Since when the leader has led. Within a history, this moment stays. A history that was rolled back has a later leader, whatever else
   * happened in it. Absent if the server doesn't show it.
   */
  readonly ledSince?: LedSince;
}

/** Since when a leader has led. */
export interface LedSince {
  /** Unix milliseconds, rounded by up to {@link LED_SINCE_ROUNDING_MS}. */
  readonly ms: number;
  /** Names the clock that was read, one of those of the servers. */
  readonly clock: string;
}

/** By how much two readings of one moment from one clock can differ: each is the difference of two numbers of whole seconds. */
export const LED_SINCE_ROUNDING_MS = 2000;

/** What a header stores about its server, so that the server is recognized. */
export interface ServerMarks {
  /** A lower bound of the position of everything that is committed from now on. */
  readonly positionAtLeast?: bigint | undefined;
  readonly ledSince?: LedSince | undefined;
}

export interface Reading {
  readonly entries: ReadonlyMap<string, Entry>;
  /** The last key of the range that was asked for; `undefined` if it holds none. */
  readonly lastKey?: string | undefined;
  readonly server: KeyValueServer;
}

/** Keys from `first` up to `before`, without it. */
export interface KeyRange {
  readonly first: string;
  readonly before: string;
}

export interface Commit {
  /** What these keys must hold: the version that was read, or `undefined` for a key that must not exist. */
  readonly conditions: ReadonlyMap<string, string | undefined>;
  /** The values to write. */
  readonly puts: ReadonlyMap<string, string>;
}

/**
 * A store of keys and values, as one attempt of a call uses it. No reading is older than a commit that was acknowledged before the
 * reading began.
 *
 * All steps of one attempt reach one run of one server. If a later step would reach another, it throws {@link Overtaken} and does
 * nothing: what was read may have been lost since.
 */
export interface KeyValuePort {
  /**
   * Reads these keys, the first one first, or all at one moment. Its server time is read afterwards.
   *
   * @param lastOf a range of which to read the last key, too
   */
  read(keys: readonly string[], lastOf?: KeyRange): Promise<Reading>;
  /** Reads one key, without the server's clock and history. */
  entry(key: string): Promise<Entry | undefined>;
  /** Reads the first entries of a range, in order of key. */
  entries(range: KeyRange, limit: number): Promise<ReadonlyMap<string, Entry>>;
  /** Reads `limit` entries of a range with the lowest values, in order of value, and then the one with the highest value. */
  outermost(range: KeyRange, limit: number): Promise<ReadonlyMap<string, Entry>>;
  /** Returns what to store with the header that is committed next; see {@link KeyValueServer}. */
  marks(): Promise<ServerMarks>;
  /** Writes all values in one atomic step if all conditions hold, and returns whether they do. */
  commit(commit: Commit): Promise<boolean>;
}

/** Makes a port for each attempt. Every method of a port rejects with an error of this library, and settles by the deadline. */
export interface KeyValueConnection {
  /** Whether attempts that run at the same time get in each other's way. They then run one after the other. */
  readonly takesTurns?: boolean;
  open(settings: StoreSettings): void;
  /** @param previous the port of the attempt before, of the same call */
  port(deadline: CallDeadline, previous?: KeyValuePort): KeyValuePort;
  reconnect(): void;
  close(): Promise<void>;
}

/** Something that a call has read has changed since. It has written nothing, and can begin again. */
export class Overtaken extends Error {}
