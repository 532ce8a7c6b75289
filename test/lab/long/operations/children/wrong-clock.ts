/** A process whose clock steps back again and again. It answers scrapes, and ends with SIGKILL. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from 'nestjs-snowflake/core';
import { collectSnowflakeMetrics } from 'nestjs-snowflake/prometheus';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import { register } from 'prom-client';
import { APPS, type Observed, type ObservedJob } from '../support/observed-job.js';

const STEP_MS = 3_600_000;

const job = JSON.parse(process.argv[2] ?? '') as ObservedJob;
const lease = { windowMs: 4000, maxSkewMs: 1000, callTimeoutMs: 500, possibleLoss: 'ignore' } as const;
let behindMs = 0;
const clock: Clock = {
  now: () => systemClock.now() - behindMs,
  schedule: (delayMs, task) => systemClock.schedule(delayMs, task),
  blockUntil: (targetMs, maxBlockMs) => systemClock.blockUntil(targetMs + behindMs, maxBlockMs),
};

const stepping = new SnowflakeIdMaker(
  { store: redisLeaseStore({ url: job.redis, namespace: 'stepping' }), lease },
  { clock },
);
collectSnowflakeMetrics(stepping, { instance: 'stepping' });
await stepping.start();

const copied = new SnowflakeIdMaker({
  store: redisLeaseStore({ url: job.redis, namespace: 'copied' }),
  lease,
});
collectSnowflakeMetrics(copied, { instance: 'copied' });
await copied.start();

// All worker IDs of this namespace are held.
const waiting = new SnowflakeIdMaker({
  store: redisLeaseStore({ url: job.redis, namespace: 'full' }),
  lease: { ...lease, workerCount: APPS, acquireTimeoutMs: 600_000 },
});
collectSnowflakeMetrics(waiting, { instance: 'waiting' });
void waiting.start();

setInterval(() => {
  if (stepping.canIssue) stepping.nextId();
}, 20);
setInterval(() => (behindMs += STEP_MS), 3000);

const server = createServer((_, response) => {
  void register.metrics().then((text) => {
    response.setHeader('content-type', register.contentType);
    response.end(text);
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ url: `http://127.0.0.1:${port}` } satisfies Observed);
});
