import { BitLayout, type DecodedId } from 'nestjs-snowflake/core';
import { type IdOrigin, idOrigin } from 'nestjs-snowflake/internal/lease/id-origin';
import { hasLayout } from 'nestjs-snowflake/internal/lease/namespace-fingerprint';
import { registryOverview, type RegistryOverview } from 'nestjs-snowflake/store';
import { withNote } from '../frame/slow-note.js';
import type { Terminal } from '../frame/terminal.js';
import { connectingTo, withStore } from '../commands/stores/make-store.js';
import { readable } from '../commands/stores/reading-source.js';
import { type StoreFlags, timeoutOf } from '../commands/stores/store-flags.js';
import { subjectOf } from '../commands/stores/store-source.js';

/** Who generated an ID, by the registry of its namespace. */
export interface FoundOrigin {
  readonly origin: IdOrigin;
  /** The process that holds the worker ID now. */
  readonly holder?: string;
  /** Where the window of that process begins. */
  readonly from?: Date;
}

/** Finds who generated IDs in a registry that was read once. */
export class OriginSearch {
  private readonly rows: ReadonlyMap<number, RegistryOverview['workers'][number]>;

  constructor(private readonly registry: RegistryOverview) {
    this.rows = new Map(registry.workers.map((row) => [row.workerId, row]));
  }

  /** Reads the registry of the store that the flags name. @throws SnowflakeError */
  static async read(flags: StoreFlags, terminal: Terminal): Promise<OriginSearch> {
    const purpose = { command: 'decode', timeoutMs: timeoutOf(flags), terminal };
    const { source } = await subjectOf(flags, purpose);
    const snapshot = await withStore(readable(source), purpose, (store) =>
      withNote(terminal, connectingTo(source), store.inspect(), purpose.timeoutMs),
    );
    return new OriginSearch(registryOverview(snapshot));
  }

  /** The layout that the namespace stores, if this version can read it. */
  get layout(): BitLayout | undefined {
    try {
      return BitLayout.fromFingerprint(this.registry.layout ?? '');
    } catch {
      return undefined;
    }
  }

  /** Returns an origin as one line. */
  textOf({ origin, holder = '', from }: FoundOrigin): string {
    const window = from === undefined ? '' : ` (its window begins after ${from.toISOString()})`;
    switch (origin) {
      case 'holder':
        return `${holder}${window}`;
      case 'former':
        return holder === ''
          ? 'a former holder, which has released the worker ID'
          : `a holder before ${holder}${window}`;
      case 'import':
        return 'an import, with backfill(): the worker ID is reserved for imports';
      case 'nobody':
        return 'no process of this namespace: nobody held this worker ID at that time';
      case 'unknown':
        return 'unknown: the namespace has another layout, fixed worker IDs, or no grants of that time';
    }
  }

  find({ workerId, timestampMs }: DecodedId, layout: BitLayout): FoundOrigin {
    const { unreadable = [], grantsAfterMs } = this.registry;
    const isUnreadable = unreadable.some(({ field }) => field === String(workerId));
    if (isUnreadable || !hasLayout(this.registry.layout, layout)) return { origin: 'unknown' };
    const row = this.rows.get(workerId);
    const { holder, windowFromMs } = row ?? {};
    return {
      origin: idOrigin(row, timestampMs, grantsAfterMs),
      ...(holder !== undefined && { holder }),
      ...(windowFromMs !== undefined && { from: new Date(windowFromMs) }),
    };
  }
}
