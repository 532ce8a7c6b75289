/** What a process of the spec about alerts does. */
export interface ObservedJob {
  /** URL of the Redis that ends during the test. */
  readonly failingRedis: string;
  /** URL of the Redis that stays. */
  readonly redis: string;
  /** URL of the PostgreSQL that ends during the test. */
  readonly postgres: string;
}

/** Sent by each process once it answers scrapes. */
export interface Observed {
  readonly url: string;
}

/** How many worker IDs the namespace `full` has: one for each process of the app. */
export const APPS = 2;
