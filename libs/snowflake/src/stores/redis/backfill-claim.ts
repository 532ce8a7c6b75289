import type { BackfillReply, BackfillRequest } from '../../lease/lease-store.js';
import { FieldsRegistry } from '../memory/fields-registry.js';
import { backfillTransaction } from '../protocol/backfill-transaction.js';
import type { RegistryChanges } from '../protocol/lease-registry.js';
import { executeNow } from '../protocol/registry-calls.js';
import { writeRow } from '../registry-format.js';
import type { StoredFields } from './replies.js';

/** What the protocol has decided by a reading of the registry. */
export interface BackfillDecision {
  readonly reply: BackfillReply;
  /** The arguments of the `backfill` script from the second on, if it has something to write. */
  readonly write?: readonly string[];
}

/** A reading of the registry, which keeps what would be written. */
class Reading extends FieldsRegistry {
  changes: RegistryChanges | undefined;

  override write(changes: RegistryChanges): void {
    this.changes = changes;
  }
}

/** Decides a claim of the past by a reading. Takes the history for the server's: the script that writes compares them. */
export function decideBackfill(request: BackfillRequest, { fields, nowMs }: StoredFields): BackfillDecision {
  const reading = new Reading(fields, { nowMs, historyId: fields.get('historyId') ?? '' });
  const reply = executeNow(backfillTransaction(request), reading);
  const { row } = reading.changes ?? {};
  if (!row) return { reply };
  const stored = (field: string): string => fields.get(field) ?? '';
  const workerId = String(row.workerId);
  return {
    reply,
    write: [stored('layout'), stored('grantsAfter'), workerId, stored(workerId), writeRow(row)],
  };
}
