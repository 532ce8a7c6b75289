import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { duplicatesIn } from '../../../lease/support/id-checks.js';
import { spawnChild, type TestChild } from '../../../support/child.js';
import { waitFor } from '../../../support/wait.js';
import type { FailoverJob } from './support/failover-job.js';
import {
  REPLICATED_KINDS,
  ReplicatedDatabase,
  type ReplicatedKind,
} from '../../../integration/sql-store/support/replicated-database.js';
import { Router } from './support/router.js';

const TIMEOUT_MS = 60_000;
/** Long enough for the failover to happen within the window. */
const LEASE = {
  windowMs: 9000,
  renewEveryMs: 700,
  callTimeoutMs: 1000,
  maxSkewMs: 2000,
  reserveMs: 1500,
  acquireTimeoutMs: 55_000,
};

/** As long as the test: the holders still issue when the newcomers come, however busy the machine is. */
const LONG_LEASE = { ...LEASE, windowMs: 100_000, acquireTimeoutMs: 150_000 };

/** How many IDs holders and newcomers make beside each other in the control. */
const TOGETHER = 200_000;

interface Message {
  readonly status: 'event' | 'report' | 'holding';
  readonly type?: string;
  readonly reason?: string;
  readonly workerId?: number;
  readonly issued?: number;
}

let directory: string;
let database: ReplicatedDatabase | undefined;
const routers: Router[] = [];
const children: TestChild[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'snowflake-failover-'));
});
afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => child.kill()));
  await Promise.all(routers.splice(0).map((router) => router.close()));
  await database?.stop();
  database = undefined;
  rmSync(directory, { recursive: true, force: true });
});

/** A process under traffic. */
class Issuer {
  private static count = 0;
  private readonly idsFile = join(directory, `ids-${(Issuer.count += 1)}`);
  private readonly child: TestChild;

  constructor(
    pair: ReplicatedDatabase,
    { port }: Router,
    assumeNoLostWrites: boolean,
    possibleLoss: FailoverJob['possibleLoss'],
  ) {
    const { idsFile } = this;
    const job: FailoverJob = {
      dataSource: pair.options({ port }),
      idsFile,
      assumeNoLostWrites,
      possibleLoss,
      lease: assumeNoLostWrites ? LONG_LEASE : LEASE,
    };
    const file = new URL('./children/failover-issuer.ts', import.meta.url);
    this.child = spawnChild(file, { args: [JSON.stringify(job)] });
    children.push(this.child);
  }

  until(wanted: Partial<Message>): Promise<Message> {
    const matches = (message: unknown): message is Message =>
      Object.entries(wanted).every(([name, value]) => (message as Record<string, unknown>)[name] === value);
    return this.child.next(matches, TIMEOUT_MS);
  }

  async issued(): Promise<number> {
    this.child.send({ order: 'report' });
    return (await this.until({ status: 'report' })).issued ?? 0;
  }

  async untilIssuing(more = 0): Promise<void> {
    const before = await this.issued();
    await waitFor('more IDs', TIMEOUT_MS, async () => (await this.issued()) > before + more);
  }

  async leave(): Promise<BigUint64Array> {
    this.child.send({ order: 'leave' });
    expect(await this.child.untilEnd(TIMEOUT_MS)).toEqual({ code: 0, signal: null });
    return new BigUint64Array(Uint8Array.from(readFileSync(this.idsFile)).buffer);
  }
}

/**
 * One process is known to the replica, three lease after it was cut off, the primary dies, the replica takes over, two
 * more processes start; in the end all six go on at the new primary. Returns the IDs of each.
 */
async function failOver(
  kind: ReplicatedKind,
  assumeNoLostWrites: boolean,
  newcomersAre: Partial<Message>,
): Promise<BigUint64Array[]> {
  const pair = (database = await ReplicatedDatabase.start(kind));
  const [ofHolders, ofNewcomers] = [
    await Router.start(pair.primary.port),
    await Router.start(pair.replica.port),
  ];
  routers.push(ofHolders, ofNewcomers);
  // The namespace is new to the holders. What the newcomers find may have lost leases.
  const start = (router: Router): Issuer =>
    new Issuer(pair, router, assumeNoLostWrites, router === ofHolders ? 'ignore' : 'wait');

  const known = start(ofHolders);
  await known.until({ status: 'holding' });
  await pair.untilReplicated('SELECT count(*) AS leases FROM snowflake_lease');
  await pair.cutOff();
  const unknown = [start(ofHolders), start(ofHolders), start(ofHolders)];
  for (const issuer of unknown) await issuer.until({ status: 'holding' });
  await Promise.all([known, ...unknown].map((issuer) => issuer.untilIssuing()));

  await pair.failOver();
  const newcomers = [start(ofNewcomers), start(ofNewcomers)];
  for (const issuer of newcomers) await issuer.until(newcomersAre);
  // Otherwise holders could stop before late newcomers start, so that the two never issue at the same time.
  if (newcomersAre.status === 'holding')
    await Promise.all([...unknown, ...newcomers].map((issuer) => issuer.untilIssuing(TOGETHER)));
  ofHolders.leadTo(pair.replica.port);
  if (newcomersAre.status !== 'holding')
    for (const issuer of newcomers) await issuer.until({ status: 'holding' });
  const all = [known, ...unknown, ...newcomers];
  await Promise.all(all.map((issuer) => issuer.untilIssuing()));
  return Promise.all(all.map((issuer) => issuer.leave()));
}

describe.each(REPLICATED_KINDS)(
  'a failover of %s to a replica that missed leases [promise: after-loss]',
  (kind) => {
    it(
      'makes no ID twice: newcomers wait until the forgotten leases have ended, and all six processes go on',
      async () => {
        const ids = await failOver(kind, false, { status: 'event', type: 'waiting', reason: 'history' });
        expect(ids.map(({ length }) => length > 0)).toEqual([true, true, true, true, true, true]);
        expect(duplicatesIn(ids)).toEqual([]);
      },
      6 * TIMEOUT_MS,
    );

    // Control: the same processes with a history that never changes.
    it(
      'makes duplicates where the history is assumed to lose nothing (control)',
      async () => {
        const ids = await failOver(kind, true, { status: 'holding' });
        expect(duplicatesIn(ids).length).toBeGreaterThan(0);
      },
      6 * TIMEOUT_MS,
    );
  },
);
