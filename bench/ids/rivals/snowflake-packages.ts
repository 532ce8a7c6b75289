import { SnowflakeId } from '@akashrajpurohit/snowflake-id';
import { Snowflake as SapphireSnowflake } from '@sapphire/snowflake';
import { Snowflake as SkorotkiewiczSnowflake } from '@skorotkiewicz/snowflake-id';
import FlakeId from 'flake-idgen';
import { Snowflake as WasmSnowflake } from 'nodejs-snowflake';
import { Worker } from 'snowflake-uuid';
import Snowflakify from 'snowflakify';
import { Snowyflake } from 'snowyflake';
import { TSIDGenerator } from 'tsid-ts';
import { packageVersion } from './package-version.js';
import type { Maker, Rival } from './rival.js';

const EPOCH_MS = 1_704_067_200_000;

function snowflake(name: string, make: () => Maker, about: Partial<Rival> = {}): Rival {
  return {
    name,
    version: packageVersion(name),
    kind: 'snowflake',
    idsPerCall: 1,
    clock: 'Date',
    ...about,
    make,
  };
}

/** Other packages that generate Snowflake IDs, in the order of the tables. */
export const snowflakePackages: readonly Rival[] = [
  snowflake('@sapphire/snowflake', () => {
    const sapphire = new SapphireSnowflake(EPOCH_MS);
    return { bigint: () => sapphire.generate(), string: () => sapphire.generate().toString() };
  }),
  snowflake(
    'nodejs-snowflake',
    () => {
      const wasm = new WasmSnowflake({ custom_epoch: EPOCH_MS, instance_id: 1 });
      // Its types say BigInt, the wrapper object. It returns the primitive.
      return { bigint: () => wasm.getUniqueID().valueOf(), string: () => wasm.getUniqueID().toString() };
    },
    // It has 10 bits of sequence.
    { burstIds: 1000 },
  ),
  snowflake('flake-idgen', () => {
    const flake = new FlakeId({ id: 1, epoch: EPOCH_MS });
    return {
      bigint: () => nextWaiting(flake).readBigUInt64BE(),
      string: () => nextWaiting(flake).readBigUInt64BE().toString(),
    };
  }),
  snowflake(
    'snowflakify',
    () => {
      const snowflakify = new Snowflakify();
      return { bigint: () => snowflakify.nextId(), string: () => snowflakify.nextId().toString() };
    },
    { clock: 'hrtime' },
  ),
  snowflake('snowflake-uuid', () => {
    const worker = new Worker(1, 1);
    return { bigint: () => worker.nextId(), string: () => worker.nextId().toString() };
  }),
  snowflake('snowyflake', () => {
    const snowyflake = new Snowyflake({ workerId: 1n, epoch: BigInt(EPOCH_MS) });
    return { bigint: () => snowyflake.nextId(), string: () => snowyflake.nextId().toString() };
  }),
  snowflake('@skorotkiewicz/snowflake-id', () => {
    const skorotkiewicz = new SkorotkiewiczSnowflake(1);
    return { string: () => skorotkiewicz.generate() };
  }),
  snowflake('@akashrajpurohit/snowflake-id', () => {
    const akashrajpurohit = SnowflakeId({ workerId: 1 });
    return { string: () => akashrajpurohit.generate() };
  }),
  snowflake('tsid-ts', () => {
    const generator = new TSIDGenerator(1);
    return { bigint: () => generator.create().number, string: () => generator.create().number.toString() };
  }),
];

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
