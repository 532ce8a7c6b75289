import { etcdLeaseStore } from 'nestjs-snowflake-coordination/etcd';
import { zookeeperLeaseStore } from 'nestjs-snowflake-coordination/zookeeper';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { remoteLeaseStore } from 'nestjs-snowflake/remote';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import type { LeaseStore } from 'nestjs-snowflake/store';

const STORES = {
  redis: (url: string, namespace: string) => redisLeaseStore({ url, namespace }),
  postgres: (url: string, namespace: string) => sqlLeaseStore({ url, namespace, createTable: true }),
  mariadb: (url: string, namespace: string) => sqlLeaseStore({ url, namespace, createTable: true }),
  service: (address: string, namespace: string) => {
    const { origin: url, username: token } = new URL(address);
    return remoteLeaseStore({ url, token, namespace });
  },
  etcd: (url: string, namespace: string) => etcdLeaseStore({ url, namespace }),
  zookeeper: (connectString: string, namespace: string) => zookeeperLeaseStore({ connectString, namespace }),
};

export type StoreKind = keyof typeof STORES;

/** Returns the store of a namespace at the address of its server. */
export function storeOf(kind: StoreKind, address: string, namespace: string): LeaseStore {
  return STORES[kind](address, namespace);
}
