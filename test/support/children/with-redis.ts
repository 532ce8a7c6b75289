/** The child of watch.spec.ts: starts a server and never stops it. */
import { startRedis } from '../servers/index.js';

const redis = await startRedis();
process.send?.({ pid: redis.pid, dir: redis.dir });
process.on('message', () => undefined);
