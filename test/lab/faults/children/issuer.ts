/** An issuing process with the built library, imported as a user does. */
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { etcdLeaseStore } from 'nestjs-snowflake/etcd';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { zookeeperLeaseStore } from 'nestjs-snowflake/zookeeper';
import { runIssuingProcess } from '../support/issuing-process.js';

await runIssuingProcess({
  makeStore: ({ store, etcd, zookeeper }) => {
    if (zookeeper) return zookeeperLeaseStore(zookeeper);
    return etcd ? etcdLeaseStore(etcd) : redisLeaseStore(store);
  },
  makeMaker: (options, clock) => new SnowflakeIdMaker(options, { clock }),
});
