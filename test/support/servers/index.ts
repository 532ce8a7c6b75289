export { requireBinary, requirePythonGrpc } from './binaries.js';
export { databaseFor, type DatabaseKind } from './database-for.js';
export { DURABLE_SETTINGS } from './database-server.js';
export type { DatabaseServer, DatabaseServerOptions } from './database-server.js';
export { type EtcdMember, type EtcdOptions, type EtcdServer, startEtcd } from './etcd.js';
export { startMariaDb } from './mariadb.js';
export { startPgpool, type Pgpool } from './pgpool.js';
export { freePort } from './ports.js';
export { startPostgres } from './postgres.js';
export { startPrometheus, type PrometheusServer } from './prometheus.js';
export { startRedis, type RedisOptions, type RedisServer } from './redis.js';
export { startSentinel, type SentinelOptions, type SentinelServer } from './sentinel.js';
export {
  startZookeeper,
  type ZookeeperMember,
  type ZookeeperOptions,
  type ZookeeperServer,
} from './zookeeper.js';
