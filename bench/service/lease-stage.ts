import {
  type DatabaseServer,
  type RedisServer,
  startPostgres,
  startRedis,
} from '../../test/support/servers/index.js';
import { MeasuredServer } from './measured-server.js';
import type { LeaseServerReady } from './server/lease-server.js';

/** Private databases, and a service that passes on leases to them. */
export class LeaseStage {
  private constructor(
    readonly server: MeasuredServer<LeaseServerReady>,
    readonly redisUrl: string,
    readonly postgresUrl: string,
    private readonly databases: readonly (RedisServer | DatabaseServer)[],
  ) {}

  static async open(): Promise<LeaseStage> {
    const redis = await startRedis();
    const postgres = await startPostgres();
    const postgresUrl = await postgres.createDatabase('leases');
    const args = [redis.url, postgresUrl];
    const server = await MeasuredServer.start<LeaseServerReady>('./server/lease-server.ts', args);
    return new LeaseStage(server, redis.url, postgresUrl, [redis, postgres]);
  }

  async close(): Promise<void> {
    await this.server.stop();
    await Promise.all(this.databases.map((database) => database.stop()));
  }
}
