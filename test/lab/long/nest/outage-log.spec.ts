import { SnowflakeIdMaker, SnowflakeModule } from 'nestjs-snowflake';
import { SHORT_WINDOW } from '../../../lease/support/short-window.js';
import { Holder } from '../../../lease/support/traffic.js';
import { Apps } from '../../../nest/support/apps.js';
import { CapturedLogs } from '../../../nest/support/captured-logs.js';
import { waitFor } from '../../../support/wait.js';

const TIMEOUT_MS = 60_000;
/** Ends within a test, but not while a machine stalls for some seconds. */
const OUTLASTED_WINDOW = { ...SHORT_WINDOW, windowMs: 7000 };

let apps: Apps;

beforeAll(async () => {
  apps = await Apps.onPrivateRedis();
});
afterAll(async () => {
  await apps?.closeAll();
  await apps?.server.stop();
});

const matching = (...patterns: RegExp[]): unknown[] =>
  patterns.map((pattern) => expect.stringMatching(pattern));

describe('the log of an app [promise: fail-closed]', () => {
  it('logs one line for each change of state and for its wait, in an outage longer than the window', async () => {
    const layout = { workerBits: 10, sequenceBits: 3 };
    const options = apps.options('long-outage', {
      lease: { ...OUTLASTED_WINDOW, possibleLoss: 'ignore' },
      layout,
    });
    const logs = new CapturedLogs();
    const app = await apps.boot({ imports: [SnowflakeModule.forRoot(options)] }, logs);
    const maker = app.get(SnowflakeIdMaker);
    const holder = new Holder(maker);
    const issueUntil = (what: string, check: () => boolean): Promise<true> =>
      waitFor(what, TIMEOUT_MS, () => {
        for (let turn = 0; turn < 10; turn++) holder.issue();
        return check();
      });
    await apps.server.kill();
    const hasLogged = (pattern: RegExp): boolean => logs.lines.some((line) => pattern.test(line));
    await issueUntil('the end of the window', () => holder.failures > 50 && hasLogged(/used up/));
    await apps.server.restart();
    await issueUntil('the end of the outage', () => holder.eventsOf('recovered').length > 0);

    // A process that stalls may reach its reserve before a call has failed.
    const [, one = '', other = '', ...rest] = logs.lines;
    expect([one, other].sort()).toEqual(
      matching(/^warn: .*A call to the lease store failed/, /^warn: .*old timestamps.*reserve.*20\S+Z/),
    );
    expect(rest).toEqual(
      matching(
        /^error: .*used up.*LeaseExhaustedError.*redis namespace "long-outage"/,
        // The server came back without its data.
        /^warn: .*Waiting for up to \S+ s for a lease/,
        /^warn: .*Worker ID 0 of redis namespace "long-outage": leased until .* replaces worker ID 0/,
        /^log: .*"long-outage" answers again after/,
      ),
    );
  });
});
