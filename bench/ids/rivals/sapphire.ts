import { Snowflake } from '@sapphire/snowflake';
import { packageVersion } from './package-version.js';
import { type Rival, TWELVE_BITS } from './rival.js';

export const sapphire: Rival = {
  name: '@sapphire/snowflake',
  version: packageVersion('@sapphire/snowflake'),
  kind: 'snowflake',
  idsPerCall: 1,
  idsPerMs: TWELVE_BITS,
  clock: 'Date',
  make() {
    const snowflake = new Snowflake(1_704_067_200_000);
    return {
      bigint: () => snowflake.generate(),
      string: () => snowflake.generate().toString(),
      decode: (id) => snowflake.deconstruct(id),
    };
  },
};
