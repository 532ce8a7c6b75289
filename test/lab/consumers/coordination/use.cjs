/** Leases a worker ID in the store that the arguments name, makes IDs, and prints them. */
const process = require('node:process');
const { etcdLeaseStore } = require('nestjs-snowflake/etcd');
const { SnowflakeIdMaker } = require('nestjs-snowflake/standalone');
const { zookeeperLeaseStore } = require('nestjs-snowflake/zookeeper');

const [kind, address] = process.argv.slice(2);
const namespace = 'shop';
const store =
  kind === 'etcd'
    ? etcdLeaseStore({ url: address, namespace })
    : zookeeperLeaseStore({ connectString: address, namespace });
const ids = new SnowflakeIdMaker({ store, lease: { possibleLoss: 'ignore' } });
void (async () => {
  await ids.ready();
  console.log(JSON.stringify({ workerId: ids.status().workerId, made: ids.nextIds(1000) }));
  // A process that is killed gives nothing back.
  if (process.argv.includes('--killed')) process.kill(process.pid, 'SIGKILL');
  await ids.stop();
})();
