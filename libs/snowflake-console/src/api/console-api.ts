/**
 * The requests that the page sends to its server, and the answers. Every address is relative to the page: `api/app`,
 * `api/ids`, `api/events`, `api/series`. Types only, so that the page imports nothing from the server.
 */
import type { BitLayoutOptions } from 'nestjs-snowflake/core';

/** The header that a `POST` must have, with the value `1`. No form and no page of another origin can send it. */
export type ConsoleHeader = 'x-snowflake-console';

/** The answer to `GET api/app`. */
export interface AppFacts {
  /** `namespace`: the console reads a registry without an app. Its only maker represents the namespace. */
  readonly kind: 'app' | 'namespace';
  readonly makers: readonly MakerFacts[];
  /** Absent if the console generates no IDs. */
  readonly generate?: { readonly maxCount: number };
  /** Whether the app has sources of segments. */
  readonly segments: boolean;
  /** Whether the app has series. */
  readonly series: boolean;
}

/** An ID maker of the app. */
export interface MakerFacts {
  /** Name of the instance; `default` if it has none. */
  readonly name: string;
  /** The options of its `BitLayout`, and the epoch as Unix time in milliseconds. */
  readonly layout: BitLayoutOptions & { readonly epochMs: number };
  /** Description of its store. */
  readonly store: string;
}

/** The body of `POST api/ids`. */
export interface IdsRequest {
  /** Name of the maker. */
  readonly maker: string;
  readonly count: number;
}

/** The answer to `POST api/ids`. */
export interface IdsAnswer {
  /** Decimal strings, ascending. */
  readonly ids: readonly string[];
}

/** The answer to a request that the console refuses: 400, 403, 404, 405, 413, 415, 429 with `Retry-After`, or 503. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
}

/**
 * The data of an event `watch` of `GET api/events`: everything that the page shows live. It is sent first, and again after
 * events that were lost. Events `change` follow.
 */
export interface WatchEvent {
  readonly makers: readonly MakerWatch[];
  /** Absent if the app has no segments. */
  readonly segments?: readonly SegmentWatch[];
  /** How many sources of the app are omitted; absent if none. */
  readonly omittedSegments?: number;
}

/**
 * The data of an event `change`: what is different from the event before it. An object has the values that changed by their
 * names or indexes, and null for what is gone. Anything else replaces what was there.
 */
export type WatchChange =
  | string
  | number
  | boolean
  | null
  | readonly unknown[]
  | { readonly [name: string]: WatchChange };

/** An ID maker and the namespace it shares. */
export interface MakerWatch {
  /** Name of the instance; `default` if it has none. */
  readonly name: string;
  /** The clock of this process, Unix time in milliseconds. */
  readonly hostNowMs: number;
  /** State of the maker in this process. Absent if only the registry is watched. */
  readonly status?: MakerStatusWatch;
  /** Absent if the store could not be read. */
  readonly registry?: RegistryWatch;
  /** The code of the error if the store could not be read. */
  readonly registryErrorCode?: string;
}

/** The state of an ID maker. Times are Unix time in milliseconds. */
export interface MakerStatusWatch {
  readonly state: string;
  readonly workerId?: number;
  readonly datacenterId?: number;
  readonly leaseUntilMs?: number;
  readonly expiresAtMs: number;
  readonly issued: number;
  /** How many IDs the reserve holds: those after the window if the store stays unreachable. Absent if the window never ends. */
  readonly idsLeft?: number;
  readonly driftMs: number;
  readonly clockCorrectionMs: number;
  /** How many calls of the store have failed, by the code of their error. */
  readonly failedCalls: Readonly<Record<string, number>>;
  readonly lastErrorCode?: string;
}

/** The registry of a namespace. Times are Unix time in milliseconds, by the clock of the store. */
export interface RegistryWatch {
  readonly storeNowMs: number;
  readonly historyId?: string;
  readonly layout?: string;
  readonly grantsAfterMs?: number;
  /** The first worker ID of the layout. */
  readonly first: number;
  /** How many worker IDs the layout has. */
  readonly total: number;
  /** The worker IDs that were ever used, in ascending order, at most 4,096. */
  readonly workers: readonly WorkerWatch[];
  /** How many used worker IDs are omitted; absent if none. */
  readonly omitted?: number;
  /** How many processes wait in line for their first lease. Absent if none waits, or if the store can't tell. */
  readonly waiting?: number;
  /** How long the first of them has waited, in whole seconds, so that not every reading differs. */
  readonly longestWaitSeconds?: number;
  /** Worker IDs and fields of the namespace that can't be read, at most 4,096. Absent if everything can be read. */
  readonly unreadable?: readonly string[];
}

/** One worker ID that was ever used. */
export interface WorkerWatch {
  readonly workerId: number;
  /**
   * `held`: its holder renews it. `offline`: its window passed without a renewal. `released`: its process released it. `reserved`:
   * `backfill()` keeps it for imports.
   */
  readonly state: 'held' | 'offline' | 'released' | 'reserved';
  /** Name of the process. Each process chooses its own, so it can be any text. */
  readonly holder?: string;
  /** Where the window of its grant begins. Absent after a release. */
  readonly windowFromMs?: number;
  /** The last timestamp that imports have claimed. Absent unless the worker ID is reserved for them. */
  readonly claimedUntilMs?: number;
  readonly reservedUntilMs: number;
  /** How far the process corrects its clock, as it reported at its last renewal. Absent if it corrects nothing. */
  readonly clockCorrectionMs?: number;
  /** Identifies the grant: the fencing token without what renewals add to it. */
  readonly fencingToken?: string;
}

/** A source of segments in this process. */
export interface SegmentWatch {
  readonly tag: string;
  readonly state: 'ready' | 'exhausted' | 'stopped';
  /** How many numbers can be issued without another claim. */
  readonly left: number;
  /** The highest number that can be issued without another claim. */
  readonly highest?: number;
  /** Numbers issued by this process. */
  readonly issued: number;
  readonly perSecond: number;
  /** How long the numbers last at this rate; absent if none is issued. */
  readonly lastsMs?: number;
  readonly lastErrorCode?: string;
}

/** The answer to `GET api/series`. */
export interface SeriesFacts {
  readonly series: readonly SeriesDefinitionFacts[];
}

/** The rules of a series. */
export interface SeriesDefinitionFacts {
  readonly name: string;
  readonly format: string;
  /** When its numbers restart: `never`, `year`, `fiscal`, `quarter`, `month` or `day`. */
  readonly resets: string;
  /** Time zone of the document's date. */
  readonly zone?: string;
}
