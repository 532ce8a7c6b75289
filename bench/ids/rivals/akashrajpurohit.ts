import { SnowflakeId } from '@akashrajpurohit/snowflake-id';
import { packageVersion } from './package-version.js';
import { type Rival, TWELVE_BITS } from './rival.js';

export const akashrajpurohit: Rival = {
  name: '@akashrajpurohit/snowflake-id',
  version: packageVersion('@akashrajpurohit/snowflake-id'),
  kind: 'snowflake',
  idsPerCall: 1,
  idsPerMs: TWELVE_BITS,
  clock: 'Date',
  make() {
    const snowflake = SnowflakeId({ workerId: 1 });
    return { string: () => snowflake.generate() };
  },
};
