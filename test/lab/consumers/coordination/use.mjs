/** Leases a worker ID in the store that the arguments name, makes IDs, and prints them. */
import process from 'node:process';
import { etcdLeaseStore } from 'nestjs-snowflake/etcd';
import { SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import { zookeeperLeaseStore } from 'nestjs-snowflake/zookeeper';

const [kind, address] = process.argv.slice(2);
const namespace = 'shop';
const store =
  kind === 'etcd'
    ? etcdLeaseStore({ url: address, namespace })
    : zookeeperLeaseStore({ connectString: address, namespace });
const ids = new SnowflakeIdMaker({ store, lease: { possibleLoss: 'ignore' } });
await ids.ready();
console.log(JSON.stringify({ workerId: ids.status().workerId, made: ids.nextIds(1000) }));
// A process that is killed gives nothing back.
if (process.argv.includes('--killed')) process.kill(process.pid, 'SIGKILL');
await ids.stop();
