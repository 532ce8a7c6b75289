import type { StoreOptions } from './issuer-job.js';

/** The token of all issuers. */
export const SERVICE_TOKEN = 'a-token-for-all-issuers-1';

/** What a process with a service is to do. It travels as JSON. */
export interface ServiceJob {
  /** In Redis, or in PostgreSQL if that is what the URL names. */
  readonly store: StoreOptions;
  readonly port: number;
  readonly token: string;
}
