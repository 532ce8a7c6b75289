/** An issuing process with the built library, imported as a user does. */
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { remoteLeaseStore } from 'nestjs-snowflake/remote';
import { SERVICE_TOKEN } from '../support/lease-service.js';
import { runIssuingProcess } from '../support/issuing-process.js';

await runIssuingProcess({
  makeStore: ({ store, services: urls }) =>
    urls === undefined
      ? redisLeaseStore(store)
      : remoteLeaseStore({ urls, namespace: store.namespace, token: SERVICE_TOKEN }),
  makeMaker: (options, clock) => new SnowflakeIdMaker(options, { clock }),
});
