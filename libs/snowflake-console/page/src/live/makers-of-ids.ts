import { computed } from '@preact/signals';
import { idOrigin, type IdOrigin } from '../../../../snowflake/src/lease/id-origin.js';
import { hasLayout } from '../../../../snowflake/src/lease/namespace-fingerprint.js';
import type { WorkerWatch } from '../../../src/api/console-api.js';
import type { ReadingFields } from '../ids/reading.js';
import { layout, layoutForm } from '../state/settings.js';
import { isUnreadable } from '../workers/cells.js';
import { seenOf } from './watching.js';

/** Who generated an ID, and the row of its worker ID in the registry. */
export interface MakerOfId {
  readonly origin: IdOrigin;
  readonly row?: WorkerWatch;
}

type Search = (fields: ReadingFields) => MakerOfId;

/** The name of the ID maker whose layout the page reads IDs with. */
export const makerOfLayout = computed(() => {
  const { choice } = layoutForm.value;
  return choice.startsWith('app:') ? choice.slice('app:'.length) : undefined;
});

/** Finds who generated an ID, by the registry of the ID maker whose layout is chosen. Undefined until it was read. */
export const findMaker = computed<Search | undefined>(() => {
  const seen = makerOfLayout.value === undefined ? undefined : seenOf(makerOfLayout.value);
  const { registry, watch } = seen ?? {};
  if (!registry || !hasLayout(registry.layout, layout.value)) return undefined;
  const rows = new Map(registry.workers.map((row) => [row.workerId, row]));
  const lastListed = registry.omitted === undefined ? Infinity : (registry.workers.at(-1)?.workerId ?? -1);
  const ownDatacenter = watch?.status?.datacenterId;
  return ({ workerId, datacenterId, timestampMs }) => {
    const row = rows.get(workerId);
    const isElsewhere = ownDatacenter !== undefined && datacenterId !== ownDatacenter;
    if (isElsewhere || isUnreadable(registry, workerId) || (!row && workerId > lastListed))
      return { origin: 'unknown' };
    return { origin: idOrigin(row, timestampMs, registry.grantsAfterMs), row };
  };
});
