import { SnowflakeIdMaker, staticLeaseStore } from 'nestjs-snowflake';
import { newGenerator } from '../generators.js';
import { libraryVersion } from './package-version.js';
import type { Rival } from './rival.js';

const about = {
  version: libraryVersion(),
  kind: 'snowflake',
  idsPerCall: 1,
  clock: 'Date',
} as const;
const BATCH = 1000;

/** The generator alone, as `nestjs-snowflake/core` has it. */
export const ourGenerator: Rival = {
  ...about,
  name: 'nestjs-snowflake',
  make() {
    const generator = newGenerator();
    return {
      bigint: () => generator.nextBigInt(),
      string: () => generator.nextId(),
    };
  },
};

/** The same in batches. */
const ourBatches: Rival = {
  ...about,
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
  ...about,
  name: 'nestjs-snowflake, SnowflakeIdMaker',
  async make() {
    const maker = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: ++makers }) });
    await maker.start();
    return {
      bigint: () => maker.nextBigInt(),
      string: () => maker.nextId(),
    };
  },
};

/** This library, in the three ways it is called. */
export const ours: readonly Rival[] = [ourGenerator, ourMaker, ourBatches];
