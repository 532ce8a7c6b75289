import type { Credentials, Places } from './places.js';

/** What the child of the spec is to do. */
export interface Order {
  readonly task: 'wrong credentials' | 'rotation' | 'mistake' | 'foreign code' | 'leak';
  /** The way in which the secret is given, or the mistake that is made with it. */
  readonly form: string;
  readonly places: Places;
  readonly credentials: Credentials;
  readonly keys: readonly [string, string];
}

/** How it ended. */
export interface Ending {
  readonly code?: string;
  readonly message: string;
}
