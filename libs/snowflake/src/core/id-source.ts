/**
 * What the framework adapters need of an ID maker. The TypeORM subscriber takes any object of this shape, so that
 * it works with `SnowflakeIdMaker`, with a bare generator and with a stand-in in a user's own tests.
 */
export interface IdSource {
  /** The next ID as a decimal string. Synchronous, never does I/O. */
  nextId(): string;
  /** Whether {@link nextId} can issue right now: a lease is held and it has timestamps left. */
  readonly canIssue: boolean;
  /** Resolves when an ID can be issued; rejects with a typed error when that is not to be within its bound. */
  ready(): Promise<void>;
}
