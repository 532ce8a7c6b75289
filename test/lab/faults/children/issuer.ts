/** An issuing process with the built library, imported as a user does. */
import { SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import { etcdLeaseStore } from 'nestjs-snowflake-coordination/etcd';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { remoteLeaseStore } from 'nestjs-snowflake/remote';
import { zookeeperLeaseStore } from 'nestjs-snowflake-coordination/zookeeper';
import { runIssuingProcess } from '../support/issuing-process.js';
import { SERVICE_TOKEN } from '../support/service-job.js';

await runIssuingProcess({
  makeStore: ({ store, services: urls, etcd, zookeeper }) => {
    if (etcd) return etcdLeaseStore(etcd);
    if (zookeeper) return zookeeperLeaseStore(zookeeper);
    if (urls) return remoteLeaseStore({ urls, namespace: store.namespace, token: SERVICE_TOKEN });
    return redisLeaseStore(store);
  },
  makeMaker: (options, clock) => new SnowflakeIdMaker(options, { clock }),
});
