import { Snowflake } from 'nodejs-snowflake';
import { packageVersion } from './package-version.js';
import type { Rival } from './rival.js';

const EPOCH_MS = 1_704_067_200_000;

/** WebAssembly; 42 bits of time, 12 of instance, 10 of sequence. */
export const nodejsSnowflake: Rival = {
  name: 'nodejs-snowflake',
  version: packageVersion('nodejs-snowflake'),
  kind: 'snowflake',
  idsPerCall: 1,
  idsPerMs: 1024,
  clock: 'Date',
  make() {
    const snowflake = new Snowflake({ custom_epoch: EPOCH_MS, instance_id: 1 });
    return {
      // Its types say BigInt, the wrapper object; what it returns is the primitive.
      bigint: () => snowflake.getUniqueID().valueOf(),
      string: () => snowflake.getUniqueID().toString(),
      decode: (text) => {
        const id = BigInt(text);
        return {
          timestamp: Snowflake.timestampFromID(id, EPOCH_MS),
          instance: Snowflake.instanceIDFromID(id),
        };
      },
    };
  },
};
