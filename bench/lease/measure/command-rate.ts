import { on } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { type RedisServer, startRedis } from '../../../test/support/servers/index.js';
import type { GivenWorkerIds } from '../given-worker-ids.js';
import type { Settings } from '../settings.js';

/** What holders send to Redis. */
export interface CommandRate {
  readonly holders: number;
  readonly windowMs: number;
  /** What all of them sent in the length of one window, by name. */
  readonly commands: Readonly<Record<string, number>>;
  /** Commands a holder in the length of one window: a minute, by default. */
  readonly perHolder: number;
}

const NAMESPACE = 'commands';
const MARKER = 'echo';
const MARKER_WITHIN_MS = 10_000;

/** Counts what ID makers with the settings of production send, on a Redis of their own, as `MONITOR` sees it. */
export async function measureCommandRate(settings: Settings, given: GivenWorkerIds): Promise<CommandRate> {
  const server = await startRedis();
  const makers: SnowflakeIdMaker[] = [];
  const redis = new Redis(server.url);
  const monitor = await redis.monitor();
  try {
    for (let holder = 0; holder < settings.holders; holder += 1) {
      const maker = newMaker(server, settings);
      makers.push(maker);
      await maker.start();
      given.add(NAMESPACE, workerIdOf(maker));
    }
    const commands: Record<string, number> = {};
    await passMarker(redis, monitor, 'begin');
    monitor.on('monitor', (_time: string, args: readonly string[], source: string) => {
      const name = args[0]?.toLowerCase() ?? '';
      // A script's own commands have the source `lua`: they are no messages.
      if (source !== 'lua' && name !== MARKER) commands[name] = (commands[name] ?? 0) + 1;
    });
    await delay(settings.holderWindowMs);
    await passMarker(redis, monitor, 'end');
    const counted = { ...commands };
    const sent = Object.values(counted).reduce((sum, count) => sum + count, 0);
    return {
      holders: settings.holders,
      windowMs: settings.holderWindowMs,
      commands: counted,
      perHolder: sent / settings.holders,
    };
  } finally {
    await Promise.all(makers.map((maker) => maker.stop()));
    monitor.disconnect();
    redis.disconnect();
    await server.stop();
  }
}

/** Waits until the monitor has reported everything that was sent before. */
async function passMarker(redis: Redis, monitor: Redis, text: string): Promise<void> {
  const commands = on(monitor, 'monitor', { signal: AbortSignal.timeout(MARKER_WITHIN_MS) });
  await redis.call(MARKER, text);
  for await (const [, args] of commands) if (args[0] === MARKER && args[1] === text) return;
}

function newMaker(server: RedisServer, { holderWindowMs }: Settings): SnowflakeIdMaker {
  return new SnowflakeIdMaker({
    store: redisLeaseStore({ url: server.url, namespace: NAMESPACE }),
    lease: { possibleLoss: 'ignore', windowMs: holderWindowMs },
  });
}

function workerIdOf(maker: SnowflakeIdMaker): number {
  const { workerId } = maker.status();
  if (workerId === undefined) throw new Error('A started ID maker holds no worker ID');
  return workerId;
}
