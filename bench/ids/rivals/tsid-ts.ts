import { TSID, TSIDGenerator } from 'tsid-ts';
import { packageVersion } from './package-version.js';
import { type Rival, TWELVE_BITS } from './rival.js';

/** Borrows later milliseconds without a bound; its counter begins anywhere, so a millisecond has 4,096 IDs at most. */
export const tsidTs: Rival = {
  name: 'tsid-ts',
  version: packageVersion('tsid-ts'),
  kind: 'snowflake',
  idsPerCall: 1,
  idsPerMs: TWELVE_BITS,
  clock: 'Date',
  make() {
    const generator = new TSIDGenerator(1);
    return {
      bigint: () => generator.create().number,
      string: () => generator.create().number.toString(),
      decode: (text) => {
        const id = new TSID(BigInt(text));
        return { timestamp: id.timestamp, random: id.random };
      },
    };
  },
};
