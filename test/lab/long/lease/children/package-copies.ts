/** One process in which the package is loaded in several ways. An ID maker of each generates IDs in turn with the others. */
import { createRequire } from 'node:module';
import type { CopiesJob, CopiesReport } from '../support/copies-job.js';

type Package = typeof import('nestjs-snowflake');
type RedisEntryPoint = typeof import('nestjs-snowflake/redis');

const job = JSON.parse(process.argv[2] ?? '') as CopiesJob;
const require = createRequire(import.meta.url);
const main = import.meta.resolve('nestjs-snowflake');
const redis = import.meta.resolve('nestjs-snowflake/redis');

const packages: readonly (readonly [way: string, entryPoint: Package, redisEntryPoint: RedisEntryPoint])[] = [
  ['import', await import(main), await import(redis)],
  ['require', require('nestjs-snowflake') as Package, require('nestjs-snowflake/redis') as RedisEntryPoint],
  ['import with a query', await import(`${main}?again`), await import(`${redis}?again`)],
  [
    'import of a copy',
    await import(`${job.copy}/dist/esm/index.js`),
    await import(`${job.copy}/dist/esm/stores/redis/index.js`),
  ],
];

const [[, first]] = packages as [(typeof packages)[0]];
const makers = packages.map(([way, { SnowflakeIdMaker, staticLeaseStore }, { redisLeaseStore }]) => ({
  way,
  isFirstClass: SnowflakeIdMaker === first.SnowflakeIdMaker,
  ids: new SnowflakeIdMaker({
    store: 'url' in job.lease ? redisLeaseStore(job.lease) : staticLeaseStore(job.lease),
    lease: { possibleLoss: 'ignore' },
  }),
  made: [] as string[],
  refusedWith: '',
}));
for (const maker of makers) {
  await maker.ids.start().catch((error: { code: string }) => (maker.refusedWith = error.code));
}
const started = makers.filter(({ refusedWith }) => refusedWith === '');
for (let round = 0; round < job.idsEach; round++) {
  for (const { ids, made } of started) made.push(ids.nextId());
}

const loaded = makers.map(({ way, isFirstClass, ids, made, refusedWith }) => ({
  way,
  isFirstClass,
  refusedWith,
  workerId: ids.status().workerId,
  made,
}));
process.send?.({ loaded } satisfies CopiesReport);
process.on('message', () => {
  void Promise.all(makers.map(({ ids }) => ids.stop())).then(() => process.disconnect());
});
