import { SnowflakeIdMaker, staticLeaseStore } from 'nestjs-snowflake';
import { IdDecoder } from 'nestjs-snowflake/core';
import { DEFAULT_LAYOUT, newGenerator } from '../generators.js';
import { libraryVersion } from './package-version.js';
import { type Rival, TWELVE_BITS } from './rival.js';

const ours = {
  version: libraryVersion(),
  kind: 'snowflake',
  idsPerCall: 1,
  idsPerMs: TWELVE_BITS,
  clock: 'Date',
} as const;
const BATCH = 1000;

/** The generator alone, as `nestjs-snowflake/core` has it. */
export const ourGenerator: Rival = {
  ...ours,
  name: 'nestjs-snowflake',
  make() {
    const generator = newGenerator();
    const decoder = new IdDecoder(DEFAULT_LAYOUT);
    return {
      bigint: () => generator.nextBigInt(),
      string: () => generator.nextId(),
      decode: (id) => decoder.decode(id),
    };
  },
};

/** The same in batches. */
export const ourBatches: Rival = {
  ...ours,
  name: `nestjs-snowflake, batches of ${BATCH.toLocaleString('en-US')}`,
  idsPerCall: BATCH,
  make() {
    const generator = newGenerator();
    return { bigint: () => generator.nextBigInts(BATCH), string: () => generator.nextIds(BATCH) };
  },
};

/** Makers of one process don't share a fixed worker ID. */
let makers = 0;

/** What users inject, with its lease; the static store needs no server. */
export const ourMaker: Rival = {
  ...ours,
  name: 'nestjs-snowflake, SnowflakeIdMaker',
  async make() {
    const maker = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: ++makers }) });
    await maker.start();
    return {
      bigint: () => maker.nextBigInt(),
      string: () => maker.nextId(),
      decode: (id) => maker.decode(id),
    };
  },
};
