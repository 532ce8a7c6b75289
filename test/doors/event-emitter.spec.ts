import 'reflect-metadata';
import { inspect } from 'node:util';
import { Injectable, Module, type ModuleMetadata } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { EventEmitter2, EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import { memoryLeaseStore, SnowflakeIdMaker, SnowflakeModule } from 'nestjs-snowflake';
import {
  SnowflakeEventEmitterModule,
  type SnowflakeEventName,
  type SnowflakeEvents,
} from 'nestjs-snowflake/event-emitter';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { SHORT_WINDOW } from '../lease/support/short-window.js';
import { CapturedLogs } from '../nest/support/captured-logs.js';
import { type RedisServer, startRedis } from '../support/servers/index.js';
import { waitFor } from '../support/wait.js';
import { PATIENT_LEASE } from './patient-lease.js';

const WITHIN_MS = 30_000;
/** What a busy machine may add. */
const TROUBLE = ['renewal-failed', 'recovered'];
const PASSWORD = 'hunter22secret';

type AnyEvent = SnowflakeEvents[SnowflakeEventName];

/** What listeners of an app hear. */
@Injectable()
class Heard {
  readonly all: AnyEvent[] = [];
  readonly acquired: SnowflakeEvents['snowflake.acquired'][] = [];

  @OnEvent('snowflake.*')
  any(event: AnyEvent): void {
    this.all.push(event);
  }

  @OnEvent('snowflake.acquired' satisfies SnowflakeEventName)
  one(event: SnowflakeEvents['snowflake.acquired']): void {
    this.acquired.push(event);
  }

  types(instance: string): string[] {
    return this.all.filter((event) => event.instance === instance).map(({ type }) => type);
  }

  /** The first events up to the first lease. */
  untilLease(instance: string): string[] {
    const types = this.types(instance).filter((type) => !TROUBLE.includes(type));
    return types.slice(0, types.indexOf('acquired') + 1);
  }
}

const emitter = () => EventEmitterModule.forRoot({ wildcard: true });

async function boot(imports: ModuleMetadata['imports'], providers: ModuleMetadata['providers'] = [Heard]) {
  const logs = new CapturedLogs();
  const app = await Test.createTestingModule({ imports: imports ?? [], providers: providers ?? [] })
    .setLogger(logs)
    .compile();
  await app.init();
  return { app, logs };
}

function inMemory(name?: string) {
  const options = { store: memoryLeaseStore(), lease: { possibleLoss: 'ignore' } as const };
  return SnowflakeModule.forRoot(name === undefined ? options : { ...options, name });
}

describe('the events of all instances at @nestjs/event-emitter', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis({ args: ['--requirepass', PASSWORD] });
  });
  afterAll(() => redis?.stop());

  it('emits the first leases, an outage and the releases, without a secret', async () => {
    const instance = (name: string) =>
      SnowflakeModule.forRoot({
        name,
        store: redisLeaseStore({ url: redis.url.replace('//', `//:${PASSWORD}@`), namespace: name }),
        lease: { ...PATIENT_LEASE, windowMs: 60_000 },
      });
    const { app } = await boot([
      emitter(),
      instance('default'),
      instance('audit'),
      SnowflakeEventEmitterModule,
    ]);
    const heard = app.get(Heard);
    const both = (type: string): Promise<unknown> =>
      waitFor(type, WITHIN_MS, () => ['default', 'audit'].every((name) => heard.types(name).includes(type)));

    await both('acquired');
    expect(heard.acquired.map(({ instance: name, cause }) => [name, cause]).sort()).toEqual([
      ['audit', 'start'],
      ['default', 'start'],
    ]);
    for (const name of ['default', 'audit']) {
      expect(heard.untilLease(name)).toEqual(['state', 'state', 'acquired']);
    }
    await both('renewed');
    await redis.kill();
    await both('renewal-failed');
    await redis.restart();
    await both('recovered');
    await app.close();
    for (const name of ['default', 'audit']) {
      // A stop gives a busy machine half a second for the release.
      expect(heard.types(name).slice(-2)).toEqual(['state', expect.stringMatching(/^release(d|-failed)$/)]);
    }
    expect(inspect(heard.all, { depth: 10 }) + JSON.stringify(heard.all)).not.toContain(PASSWORD);
  });

  it('emits the events of a first lease that had to wait', async () => {
    const store = redisLeaseStore({ url: redis.url.replace('//', `//:${PASSWORD}@`), namespace: 'waits' });
    const lease = { ...SHORT_WINDOW, possibleLoss: 'wait' } as const;
    const { app } = await boot([
      emitter(),
      SnowflakeModule.forRoot({ store, lease }),
      SnowflakeEventEmitterModule,
    ]);
    await waitFor('the first lease', WITHIN_MS, () => app.get(Heard).acquired.length > 0);
    expect(app.get(Heard).untilLease('default')).toEqual(['state', 'waiting', 'state', 'acquired']);
    await app.close();
  });
});

describe('the module for @nestjs/event-emitter', () => {
  it.each(['first', 'last'])('forwards each event once when it is imported %s, and twice', async (place) => {
    const others = [emitter(), inMemory()];
    @Module({ imports: [SnowflakeEventEmitterModule] })
    class Feature {}
    const imports =
      place === 'first'
        ? [SnowflakeEventEmitterModule, Feature, ...others]
        : [...others, Feature, SnowflakeEventEmitterModule];
    const { app } = await boot(imports);
    const heard = app.get(Heard);
    await waitFor('the first lease', WITHIN_MS, () => heard.acquired.length > 0);
    await app.close();
    expect(heard.types('default')).toEqual(['state', 'state', 'acquired', 'state', 'released']);
  });

  it('loses the release if EventEmitterModule follows SnowflakeModule, because Nest shuts it down first', async () => {
    const { app } = await boot([inMemory(), emitter(), SnowflakeEventEmitterModule]);
    const heard = app.get(Heard);
    await app.close();
    expect(heard.types('default')).toEqual(['state', 'state', 'acquired']);
  });

  it('emits to an emitter that is local to another module', async () => {
    @Module({ imports: [EventEmitterModule.forRoot({ wildcard: true, global: false })] })
    class Local {}
    const { app } = await boot([Local, inMemory(), SnowflakeEventEmitterModule]);
    const heard = app.get(Heard);
    await waitFor('the first lease', WITHIN_MS, () => heard.acquired.length > 0);
    await app.close();
    expect(heard.acquired).toHaveLength(1);
  });

  it('refuses an app without EventEmitterModule, and leaves no lease behind', async () => {
    const store = memoryLeaseStore();
    const lease = { possibleLoss: 'ignore' } as const;
    await expect(
      boot([SnowflakeModule.forRoot({ store, lease }), SnowflakeEventEmitterModule]),
    ).rejects.toThrow(/Import EventEmitterModule\.forRoot\(\) in the root module/);
    const { rows } = await store.inspect();
    expect(rows.map(({ fencingToken }) => fencingToken)).toEqual(['']);
  });

  it('keeps errors of listeners from other listeners and from the maker, and logs them', async () => {
    const { app, logs } = await boot([emitter(), inMemory(), SnowflakeEventEmitterModule]);
    const events = app.get(EventEmitter2);
    events.on('snowflake.state', () => {
      throw new Error('sync');
    });
    events.on('snowflake.released', () => Promise.reject(new Error('async')));
    const maker = app.get(SnowflakeIdMaker);
    await maker.stop();
    await waitFor(
      'the lines',
      WITHIN_MS,
      () => logs.lines.filter((line) => line.startsWith('error')).length > 1,
    );
    expect(logs.lines.filter((line) => line.startsWith('error'))).toEqual([
      'error: [SnowflakeEventEmitterModule] A listener of snowflake.state failed: sync',
      'error: [SnowflakeEventEmitterModule] A listener of snowflake.released failed: async',
    ]);
    expect(maker.status().state).toBe('stopped');
    await app.close();
  });

  it('forwards no event after the shutdown, and none of other apps', async () => {
    const boots = await Promise.all(
      Array.from({ length: 20 }, () => boot([emitter(), inMemory(), SnowflakeEventEmitterModule])),
    );
    for (const { app } of boots) await app.close();
    const emitted: unknown[] = [];
    for (const { app } of boots) app.get(EventEmitter2).onAny((name) => void emitted.push(name));
    await boots[0]?.app.get(SnowflakeIdMaker).stop();
    for (const { app } of boots) {
      expect(app.get(Heard).types('default')).toEqual(['state', 'state', 'acquired', 'state', 'released']);
    }
    expect(emitted).toEqual([]);
  });
});

describe('the types of the events', () => {
  it('types each event and its payload', () => {
    const acquired = (event: SnowflakeEvents['snowflake.acquired']): number => event.workerId;
    const any = (event: AnyEvent): string =>
      event.type === 'released' ? String(event.lastUsedMs) : event.instance;
    // @ts-expect-error -- no such event
    const misspelled: SnowflakeEventName = 'snowflake.aquired';
    // @ts-expect-error -- the payload of `lost` has no end of a window
    const foreign = (event: SnowflakeEvents['snowflake.lost']): number => event.untilMs;
    expect([acquired, any, misspelled, foreign]).toHaveLength(4);
  });
});
