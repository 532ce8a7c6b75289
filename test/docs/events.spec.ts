import { Logger, type Type as Class } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventEmitterModule } from '@nestjs/event-emitter';
import {
  type LeaseEvent,
  memoryLeaseStore,
  SnowflakeIdMaker,
  SnowflakeModule,
  StoreUnavailableError,
} from 'nestjs-snowflake';
import { loggedLines } from './logged-lines.js';
import { codeIn } from './markdown.js';
import { PageCode, testThatAllHaveRun } from './page-code.js';
import { PublicApi } from './public-api.js';

type EventType = LeaseEvent['type'];

const code = new PageCode('docs/reference/events.md');
const variants = new PublicApi('standalone').variantsOf('LeaseEvent');
const rows = code.page.rowsUnder('All events').map(([event = '', fields = '', , levels = '']) => ({
  type: codeIn(event)[0] as EventType,
  fields: codeIn(fields),
  levels: levels.split(', ').map((level) => level.replaceAll('`', '')),
}));

/** Events of each type, of every kind that is logged differently. */
const EXAMPLES: {
  readonly [Type in EventType]: readonly Omit<Extract<LeaseEvent, { type: Type }>, 'type'>[];
} = {
  waiting: (['empty', 'history', 'full', 'alone'] as const).map((reason) => ({ reason, waitMs: 1000 })),
  acquired: (['start', 'lost', 'copied', 'switch'] as const).map((cause) => ({
    workerId: 1,
    fromMs: 0,
    untilMs: 1,
    cause,
    previousWorkerId: 0,
  })),
  renewed: [{ workerId: 1, untilMs: 1, durationMs: 1 }],
  'request-failed': [
    { error: new StoreUnavailableError('It is unreachable.') },
    { error: new StoreUnavailableError('It is unreachable.'), clockTimeUntilMs: 1, untilMs: 2 },
  ],
  recovered: [
    { failures: 1, outageMs: 1 },
    { failures: 1, outageMs: 1, waitedMs: 1 },
  ],
  lost: [{ workerId: 1 }],
  copied: [{ workerId: 1, lastUsedMs: 1 }],
  state: (['active', 'degraded', 'exhausted', 'stopped'] as const).map((to) => ({ from: 'acquiring', to })),
  'clock-rollback': [{ backwardsMs: 7 }],
  'clock-corrected': [{ offsetMs: 7, skewMs: 7 }],
  released: [
    { workerId: 1, lastUsedMs: 1 },
    { workerId: 1, lastUsedMs: 1, reservedUntilMs: 2 },
  ],
  'release-failed': [{ workerId: 1, untilMs: 1, error: new StoreUnavailableError('It is unreachable.') }],
  warning: [{ message: 'Look at the clock.' }],
};

describe('the table of events', () => {
  it('lists every event with all of its fields, and no other', () => {
    const listed = new Map(rows.map(({ type, fields }) => [type, fields.toSorted()]));
    const known = [...variants].map(([type, fields]) => [type, [...fields.keys()].sort()] as const);
    expect(listed.size).toBe(rows.length);
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(known));
  });

  it.each([
    ['Causes of a grant', 'acquired', 'cause'],
    ['Reasons to wait', 'waiting', 'reason'],
  ])('lists the texts of "%s"', (heading, type, field) => {
    expect(code.page.codesUnder(heading).sort()).toEqual(variants.get(type)?.get(field)?.toSorted());
  });

  it.each(rows)('has the levels at which the Nest module logs $type', ({ type, levels }) => {
    const events = EXAMPLES[type].map((example) => ({ type, ...example }) as LeaseEvent);
    const used = loggedLines('audit', events).map(([line, ...more]) => {
      expect(more).toEqual([]);
      if (line === undefined) return '–';
      const [, level = '', context] = /^(\w+): \[([^\]]+)\]/.exec(line) ?? [];
      expect(context).toBe('SnowflakeModule:audit');
      return level;
    });
    expect([...new Set(used)].sort()).toEqual(levels.toSorted());
  });
});

describe('the examples of the page', () => {
  it('countEvents() counts the events of a maker until the subscription ends', async () => {
    type Count = (ids: SnowflakeIdMaker, counts: Map<EventType, number>) => () => void;
    const countEvents = await code.run<Count>('lease-metrics.ts', 'countEvents');
    const ids = new SnowflakeIdMaker({ store: memoryLeaseStore() });
    const counts = new Map<EventType, number>();
    const unsubscribe = countEvents(ids, counts);
    await ids.start();
    expect(Object.fromEntries(counts)).toEqual({ acquired: 1, state: 2 });
    unsubscribe();
    await ids.stop();
    expect(counts.get('released')).toBeUndefined();
  });

  it('an app listens to the events of all its instances with @OnEvent', async () => {
    const logs: string[] = [];
    const keep = (line: unknown, context: unknown): void =>
      void (context === 'LeaseAlerts' && logs.push(String(line)));
    const logger = { log: keep, debug: keep, warn: keep, error: keep };
    const { LeaseAlerts } = await code.import<{ LeaseAlerts: Class }>('lease-alerts.ts');
    const LeaseEventEmitter = await code.run<Class>('lease-event-emitter.ts', 'LeaseEventEmitter');
    class Root {
      readonly name = 'root';
    }
    const root = {
      module: Root,
      imports: [EventEmitterModule.forRoot(), SnowflakeModule.forRoot({ store: memoryLeaseStore() })],
      providers: [LeaseEventEmitter, LeaseAlerts],
    };
    const app = await NestFactory.createApplicationContext(root, { logger, abortOnError: false });
    expect(app.get(LeaseAlerts)).toBeDefined();
    await app.close();
    Logger.overrideLogger(['error']);
    expect(logs).toEqual(['default was active and is stopped']);
  });
});

testThatAllHaveRun(code);
