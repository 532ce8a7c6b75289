/** A process that only waits for a lease in a SQLite file, and sends the outcome. */
import libsql from 'libsql';
import { SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';

const maker = new SnowflakeIdMaker({
  store: sqlLeaseStore({
    dataSource: { type: 'better-sqlite3', driver: libsql, database: process.argv[2] ?? '' },
    namespace: 'issuers',
    createTable: true,
  }),
  lease: {
    windowMs: 3000,
    renewEveryMs: 200,
    callTimeoutMs: 350,
    maxSkewMs: 800,
    reserveMs: 500,
    workerCount: 1,
    possibleLoss: 'ignore',
    acquireTimeoutMs: 60_000,
  },
});
// The channel to the test would keep the process alive.
process.channel?.unref();
await maker.start();
process.send?.({ status: 'holding', workerId: maker.status().workerId });
await maker.stop();
