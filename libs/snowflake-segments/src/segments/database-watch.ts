import type { GrantedReply } from '../store/segment-store.js';
import type { SegmentListener } from './segment-events.js';

/** Tells once when one of several databases fails, and when it grants segments again. */
export class DatabaseWatch {
  /** By name of the database: the code of its error. */
  private readonly failing = new Map<string, string>();

  constructor(private readonly emit: SegmentListener) {}

  /** Notes a reply, for the first tag that meets a change. */
  note(tag: string, { database, failed = [] }: GrantedReply): void {
    for (const failure of failed) {
      const isNew = this.failing.get(failure.database) !== failure.error.code;
      this.failing.set(failure.database, failure.error.code);
      if (isNew) this.emit({ type: 'database-failed', tag, ...failure });
    }
    if (database !== undefined && this.failing.delete(database)) {
      this.emit({ type: 'database-recovered', tag, database });
    }
  }
}
