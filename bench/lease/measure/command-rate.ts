import { on } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { type RedisServer, startRedis } from '../../../test/support/servers/index.js';
import type { GrantedWorkerIds } from '../granted-worker-ids.js';
import type { Settings } from '../settings.js';

/** The commands that holders send to Redis. */
export interface CommandRate {
  readonly holders: number;
  readonly windowMs: number;
  /** The commands of all holders during one window, by name. */
  readonly commands: Readonly<Record<string, number>>;
  /** Commands per holder during one window, which is a minute by default. */
  readonly perHolder: number;
}

const NAMESPACE = 'commands';
const MARKER = 'echo';
const MARKER_WITHIN_MS = 10_000;

/** Counts the commands of ID makers with production settings on a private Redis, by `MONITOR`. */
export async function measureCommandRate(
  settings: Settings,
  granted: GrantedWorkerIds,
): Promise<CommandRate> {
  const server = await startRedis();
  const makers: SnowflakeIdMaker[] = [];
  const redis = new Redis(server.url);
  const monitor = await redis.monitor();
  try {
    for (let holder = 0; holder < settings.holders; holder += 1) {
      const maker = newMaker(server, settings);
      makers.push(maker);
      await maker.start();
      granted.add(NAMESPACE, workerIdOf(maker));
    }
    const commands: Record<string, number> = {};
    await passMarker(redis, monitor, 'begin');
    monitor.on('monitor', (_time: string, args: readonly string[], source: string) => {
      const name = args[0]?.toLowerCase() ?? '';
      // Commands within scripts have the source `lua`. They are not sent by clients.
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
