import { Worker } from 'snowflake-uuid';
import { packageVersion } from './package-version.js';
import { type Rival, TWELVE_BITS } from './rival.js';

export const snowflakeUuid: Rival = {
  name: 'snowflake-uuid',
  version: packageVersion('snowflake-uuid'),
  kind: 'snowflake',
  idsPerCall: 1,
  idsPerMs: TWELVE_BITS,
  clock: 'Date',
  make() {
    const worker = new Worker(1, 1);
    return { bigint: () => worker.nextId(), string: () => worker.nextId().toString() };
  },
};
