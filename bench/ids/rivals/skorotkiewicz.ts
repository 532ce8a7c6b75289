import { decodeSnowflake, Snowflake } from '@skorotkiewicz/snowflake-id';
import { packageVersion } from './package-version.js';
import { type Rival, TWELVE_BITS } from './rival.js';

/** Asynchronous: each ID is awaited. */
export const skorotkiewicz: Rival = {
  name: '@skorotkiewicz/snowflake-id',
  version: packageVersion('@skorotkiewicz/snowflake-id'),
  kind: 'snowflake',
  idsPerCall: 1,
  idsPerMs: TWELVE_BITS,
  clock: 'Date',
  make() {
    const snowflake = new Snowflake(1);
    return { string: () => snowflake.generate(), decode: decodeSnowflake };
  },
};
