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
    this.stored = (await this.look(true)) ?? {};
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
    if (!changes?.row) return undefined;
    const { row, before } = changes;
    const fields = [...changes.header.keys()].join();
    const proposal = { request, header, row, before };
    if (reply.outcome === 'kept') return before && fields === '' ? { ...proposal, reply } : undefined;
    // A retry may get its lost grant again, which is no grant that the message could make.
    if (reply.outcome !== 'new' || request.retry) return undefined;
    if (before) return fields === '' ? { ...proposal, reply } : undefined;
    const isFirst = row.workerId === Math.max(Number(header.fresh), request.firstWorkerId);
    return isFirst && fields === 'fresh' ? { ...proposal, reply } : undefined;
  }
}
