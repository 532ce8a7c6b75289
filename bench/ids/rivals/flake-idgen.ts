import FlakeId from 'flake-idgen';
import { packageVersion } from './package-version.js';
import { type Rival, TWELVE_BITS } from './rival.js';

/** Where the sequence is exhausted, `next()` throws, and its caller has to wait for the next millisecond. */
function nextWaiting(flake: FlakeId): Buffer {
  try {
    return flake.next();
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('Sequence exceeded'))) throw error;
    const fullMs = Date.now();
    while (Date.now() === fullMs);
    return flake.next();
  }
}

export const flakeIdgen: Rival = {
  name: 'flake-idgen',
  version: packageVersion('flake-idgen'),
  kind: 'snowflake',
  idsPerCall: 1,
  idsPerMs: TWELVE_BITS,
  clock: 'Date',
  make() {
    const flake = new FlakeId({ id: 1, epoch: 1_704_067_200_000 });
    return {
      bigint: () => nextWaiting(flake).readBigUInt64BE(),
      string: () => nextWaiting(flake).readBigUInt64BE().toString(),
    };
  },
};
