import Snowflakify from 'snowflakify';
import { packageVersion } from './package-version.js';
import { type Rival, TWELVE_BITS } from './rival.js';

export const snowflakify: Rival = {
  name: 'snowflakify',
  version: packageVersion('snowflakify'),
  kind: 'snowflake',
  idsPerCall: 1,
  idsPerMs: TWELVE_BITS,
  clock: 'hrtime',
  make() {
    const snowflake = new Snowflakify();
    return {
      bigint: () => snowflake.nextId(),
      string: () => snowflake.nextId().toString(),
      decode: (id) => snowflake.destructure(id),
    };
  },
};
