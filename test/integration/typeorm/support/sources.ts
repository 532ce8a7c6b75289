import type { IdSource } from 'nestjs-snowflake/core';

/** Above 2^60, where a JavaScript number cannot tell an ID from its next 200 neighbors. */
export const FIRST_ID = 1_800_000_000_000_000_001n;

/** Makes consecutive IDs, so that rounding any of them makes it another row's. */
export class CountingSource implements IdSource {
  canIssue = true;
  readonly issued: string[] = [];
  /** Resolves when somebody waits for this source. */
  readonly awaited: Promise<void>;
  private next: bigint;
  becomeReady!: () => void;
  giveUp!: (reason: Error) => void;
  private noteAwaited!: () => void;
  private readonly readiness: Promise<void>;

  constructor(first = FIRST_ID) {
    this.next = first;
    this.awaited = new Promise((resolve) => {
      this.noteAwaited = resolve;
    });
    this.readiness = new Promise((resolve, reject) => {
      this.becomeReady = () => {
        this.canIssue = true;
        resolve();
      };
      this.giveUp = reject;
    });
    this.readiness.catch(() => undefined);
  }

  nextId(): string {
    if (!this.canIssue) throw new Error('asked for an ID while none can be issued');
    const id = String(this.next++);
    this.issued.push(id);
    return id;
  }

  ready(): Promise<void> {
    this.noteAwaited();
    return this.readiness;
  }
}
