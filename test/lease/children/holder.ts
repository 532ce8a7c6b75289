/** A process that holds a worker ID, has made one ID, and renews its lease until it is killed. */
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import type { HoldingJob } from '../support/holding-job.js';

const { lease, url, namespace, layout } = JSON.parse(process.argv[2] ?? '') as HoldingJob;
const maker = new SnowflakeIdMaker({ store: redisLeaseStore({ url, namespace }), layout, lease });
// The timers of a maker never keep a process alive; the channel to the test does.
process.on('message', () => undefined);
await maker.start();
process.send?.({ id: maker.nextId(), workerId: maker.status().workerId });
