import { Snowyflake } from 'snowyflake';
import { packageVersion } from './package-version.js';
import { type Rival, TWELVE_BITS } from './rival.js';

export const snowyflake: Rival = {
  name: 'snowyflake',
  version: packageVersion('snowyflake'),
  kind: 'snowflake',
  idsPerCall: 1,
  idsPerMs: TWELVE_BITS,
  clock: 'Date',
  make() {
    const snowflake = new Snowyflake({ workerId: 1n, epoch: 1_704_067_200_000n });
    return {
      bigint: () => snowflake.nextId(),
      string: () => snowflake.nextId().toString(),
      decode: (id) => snowflake.deconstruct(BigInt(id)),
    };
  },
};
