import { lastBatch } from '../../kit/sql/statements.js';
import type { LeaseReply, LeaseRequest } from '../../lease/lease-store.js';
import type { RegistryChanges } from '../protocol/lease-registry.js';
import type { RegistryHeader } from '../registry-format.js';
import type { Proposal } from './proposed-write.js';
import { SqlRegistry } from './sql-registry.js';

/** Reads the data of one namespace without a lock, in one message, and keeps what would be written. */
export class SqlSnapshot extends SqlRegistry {
  private stored: RegistryHeader = {};
  private changes?: RegistryChanges;

  override async header(): Promise<RegistryHeader> {
    // What is expected is all that is read, so the transaction ends with this message.
    this.stored = (await this.look(lastBatch(this.statements))) ?? {};
    return this.stored;
  }

  override async write(changes: RegistryChanges): Promise<void> {
    this.changes = changes;
  }

  /** Reads as `registry` would, in its transaction. */
  static of({ statements, place }: SqlRegistry): SqlSnapshot {
    return new SqlSnapshot(statements, place);
  }

  /** Whether the reply stands, because nothing is to be written. */
  get isFinal(): boolean {
    return this.changes === undefined;
  }

  /** Returns what to write; `undefined` if that is more than one message can decide, and needs the lock. */
  proposal(request: LeaseRequest, reply: LeaseReply | { readonly outcome: 'corrupt' }): Proposal | undefined {
    const { stored: header, changes } = this;
    if (!changes?.row || (reply.outcome !== 'kept' && reply.outcome !== 'new')) return undefined;
    // A retry may get its lost grant again, which is no grant that the message could make.
    if (reply.outcome === 'new' && request.retry) return undefined;
    const { row, before } = changes;
    const changedFields = [...changes.header.keys()].join();
    const isFirstFresh =
      reply.outcome === 'new' && row.workerId === Math.max(Number(header.fresh), request.firstWorkerId);
    const isDecidable = before ? changedFields === '' : isFirstFresh && changedFields === 'fresh';
    return isDecidable ? { request, header, reply, row, before } : undefined;
  }
}
