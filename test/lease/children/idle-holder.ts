/** A script that starts an ID maker and has nothing else to do. On SIGTERM it stops the maker. */
import { etcdLeaseStore } from 'nestjs-snowflake-coordination/etcd';
import { zookeeperLeaseStore } from 'nestjs-snowflake-coordination/zookeeper';
import { remoteLeaseStore } from 'nestjs-snowflake/remote';
import { memoryLeaseStore, SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import type { LeaseStore } from 'nestjs-snowflake/store';

const [kind = '', address = '', token = ''] = process.argv.slice(2);

const STORES: Readonly<Record<string, () => LeaseStore>> = {
  memory: () => memoryLeaseStore(),
  remote: () => remoteLeaseStore({ url: address, token, namespace: 'shop' }),
  etcd: () => etcdLeaseStore({ url: address, namespace: 'idle' }),
  zookeeper: () => zookeeperLeaseStore({ connectString: address, namespace: 'idle' }),
};

const ids = new SnowflakeIdMaker({
  store: STORES[kind]?.(),
  lease: { possibleLoss: 'ignore', windowMs: 6000 },
});
ids.subscribe(({ type }) => process.send?.({ type }));
process.once('SIGTERM', () => void ids.stop());
void ids.start();
