import type { LeaseStore } from 'nestjs-snowflake';

/** The block of the page replaces this file. */
export const leaseStore = (): LeaseStore => {
  throw new Error('The page has no file lease-store.ts');
};
