/**
 * The part of an ID maker that framework adapters need. The TypeORM subscriber takes any object of this shape, so it
 * works with `SnowflakeIdMaker`, with a bare generator, and with a fake in your tests.
 */
export interface IdSource {
  /** Returns the next ID as a decimal string. Synchronous; never does I/O. */
  nextId(): string;
  /** Whether {@link nextId} can issue right now: a lease is held and it has timestamps left. */
  readonly canIssue: boolean;
  /** Resolves when an ID can be issued; rejects with a typed error if that takes longer than the source's bound. */
  ready(): Promise<void>;
}
