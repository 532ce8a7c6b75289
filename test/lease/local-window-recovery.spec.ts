import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SnowflakeIdMaker, SnowflakeModule, withLocalWindow } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { Apps } from '../nest/support/apps.js';
import { CapturedLogs } from '../nest/support/captured-logs.js';
import { waitFor } from '../support/wait.js';
import { duplicatesIn } from './support/id-checks.js';
import { workerIdOf } from './support/maker-pool.js';
import { SHORT_WINDOW } from './support/short-window.js';
import { Holder } from './support/traffic.js';

const REST_WITHIN_MS = 30_000;
/** Outlasts a test, and every failed call in it. */
const LEASE = {
  ...SHORT_WINDOW,
  windowMs: 600_000,
  // So that it is the lease from disk that has the store asked at once, and no interval.
  renewEveryMs: 100_000,
  maxSkewMs: 20_000,
  callTimeoutMs: 2000,
  possibleLoss: 'ignore',
} as const;

let apps: Apps;
let folder: string;

beforeEach(async () => {
  apps = await Apps.onPrivateRedis();
  folder = mkdtempSync(join(tmpdir(), 'snowflake-window-'));
});
afterEach(async () => {
  await apps.closeAll();
  await apps.server.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Run {
  readonly holder: Holder;
  readonly logs: CapturedLogs;
  close(): Promise<void>;
}

/** Boots the app of a spec; its log has all that the library says from then on. */
async function boot(): Promise<Run> {
  const logs = new CapturedLogs();
  const redis = redisLeaseStore({ url: apps.server.url, namespace: 'shop' });
  const store = withLocalWindow(redis, { file: join(folder, 'window') });
  const app = await apps.boot({ imports: [SnowflakeModule.forRoot({ store, lease: LEASE })] }, logs);
  const holder = new Holder(app.get(SnowflakeIdMaker));
  for (let turn = 0; turn < 100; turn++) holder.issue();
  return { holder, logs, close: () => apps.close(app) };
}

/** Closes the app, which leaves the rest of its window: on a busy disk, after the stop has ceased to wait for it. */
async function closeWithRest({ close }: Run): Promise<void> {
  await close();
  await waitFor('the rest of the window', REST_WITHIN_MS, () => readdirSync(folder).includes('window'));
}

const issueMore = (holder: Holder): true => {
  holder.issue();
  return true;
};

describe('an app that restarts while Redis is unreachable, with a window kept on disk', () => {
  it('keeps its worker ID on a restart while Redis is unreachable, and when Redis returns without its data', async () => {
    const first = await boot();
    await closeWithRest(first);
    expect(first.logs.lines.at(-1)).toMatch(
      /^log: \[SnowflakeModule\] Kept the rest of the window of worker ID 0 of redis namespace "shop".* reserved until 20\S+Z\.$|^warn: \[SnowflakeModule\] Could not release worker ID 0\. It becomes free at 20\S+Z\.$/,
    );

    await apps.server.kill();
    const second = await boot();
    // A slow process also reports a failed call between them.
    const indexOf = (line: RegExp): number => second.logs.lines.findIndex((each) => line.test(each));
    const continuing = indexOf(/^warn: .*redis namespace "shop" grants no lease\. Continuing with the rest/);
    expect(continuing).not.toBe(-1);
    expect(indexOf(/^log: .*Worker ID 0 of redis namespace "shop": leased until/)).toBeGreaterThan(
      continuing,
    );
    await second.holder.until('the store to be asked', ({ maker }) => maker.status().lastError !== undefined);

    await apps.server.restart();
    const isBack = (holder: Holder): boolean => issueMore(holder) && holder.eventsOf('renewed').length > 0;
    await second.holder.until('Redis to be back', isBack);
    expect(workerIdOf(second.holder.maker)).toBe(0);
    expect(second.holder.maker.status()).toMatchObject({ state: 'active', lastError: undefined });
    expect(duplicatesIn([first.holder.ids, second.holder.ids])).toEqual([]);
    expect(second.holder.failures).toBe(0);
  });

  it('acquires its own lease when Redis answers again, and lets the old one end', async () => {
    const first = await boot();
    await closeWithRest(first);
    const inspector = apps.inspector('shop');
    const [before] = (await inspector.snapshot()).rows;

    apps.server.pause();
    const second = await boot();
    expect(workerIdOf(second.holder.maker)).toBe(0);
    apps.server.resume();
    const hasOwn = (holder: Holder): boolean => issueMore(holder) && holder.eventsOf('acquired').length > 0;
    await second.holder.until('a lease of its own', hasOwn);
    for (let turn = 0; turn < 100; turn++) second.holder.issue();

    expect(second.holder.eventsOf('acquired')).toEqual([
      expect.objectContaining({ cause: 'lost', previousWorkerId: 0 }),
    ]);
    expect(workerIdOf(second.holder.maker)).toBeGreaterThan(0);
    expect((await inspector.snapshot()).rows[0]).toEqual(before);
    expect(duplicatesIn([first.holder.ids, second.holder.ids])).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });
});
