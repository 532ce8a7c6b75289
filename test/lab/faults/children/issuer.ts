/** An issuing process with the built library, imported as a user does. */
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { runIssuingProcess } from '../support/issuing-process.js';

await runIssuingProcess({
  makeStore: ({ store }) => redisLeaseStore(store),
  makeMaker: (options, clock) => new SnowflakeIdMaker(options, { clock }),
});
