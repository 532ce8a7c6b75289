import {
  REPLICATED_KINDS,
  ReplicatedDatabase,
  type ReplicatedKind,
} from '../../../integration/sql-store/support/replicated-database.js';
import { duplicatesIn } from '../../../lease/support/id-checks.js';
import { cleanUpAfterEach } from '../../../support/clean-up.js';
import { type IssuingProcess, IssuingProcesses } from '../../../support/issuing-processes.js';
import { TcpProxy } from '../../../support/proxies/tcp-proxy.js';
import { waitFor } from '../../../support/wait.js';
import type { FailoverJob } from './support/failover-job.js';

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

interface Waiting {
  readonly status: 'event';
  readonly type: string;
  readonly reason: string;
}

const issuers = new IssuingProcesses<FailoverJob>(new URL('./children/failover-issuer.ts', import.meta.url));
const cleanUp = cleanUpAfterEach();

describe.each(REPLICATED_KINDS)(
  'a failover of %s to a replica that missed leases [promise: after-loss]',
  (kind) => {
    it(
      'generates no ID twice: newcomers wait until the forgotten leases have ended, and all six processes go on',
      async () => {
        const ids = await failOver(kind, { assumeNoLostWrites: false });
        expect(ids.map(({ length }) => length > 0)).toEqual([true, true, true, true, true, true]);
        expect(duplicatesIn(ids)).toEqual([]);
      },
      6 * TIMEOUT_MS,
    );

    // Control: the same processes with a history that never changes.
    it(
      'makes duplicates where the history is assumed to lose nothing (control)',
      async () => {
        const ids = await failOver(kind, { assumeNoLostWrites: true });
        expect(duplicatesIn(ids).length).toBeGreaterThan(0);
      },
      6 * TIMEOUT_MS,
    );
  },
);

/**
 * One process is known to the replica, three lease after it was cut off, the primary dies, the replica takes over, two
 * more processes start; in the end all six go on at the new primary. Returns the IDs of each.
 */
async function failOver(
  kind: ReplicatedKind,
  { assumeNoLostWrites }: { readonly assumeNoLostWrites: boolean },
): Promise<BigUint64Array[]> {
  const pair = await ReplicatedDatabase.start(kind);
  cleanUp(() => pair.stop());
  const [ofHolders, ofNewcomers] = [
    await TcpProxy.start(pair.primary.port),
    await TcpProxy.start(pair.replica.port),
  ];
  for (const proxy of [ofHolders, ofNewcomers]) cleanUp(() => proxy.close());
  const start = (proxy: TcpProxy): IssuingProcess => {
    const issuer = issuers.start({
      dataSource: pair.options({ port: proxy.port }),
      assumeNoLostWrites,
      // The namespace is new to the holders. What the newcomers find may have lost leases.
      possibleLoss: proxy === ofHolders ? 'ignore' : 'wait',
      lease: assumeNoLostWrites ? LONG_LEASE : LEASE,
    });
    cleanUp(() => issuer.child.kill());
    return issuer;
  };

  const known = start(ofHolders);
  await known.until('holding');
  await pair.untilReplicated('SELECT count(*) AS leases FROM snowflake_lease');
  await pair.cutOff();
  const unknown = [start(ofHolders), start(ofHolders), start(ofHolders)];
  for (const issuer of unknown) await issuer.until('holding');
  await Promise.all([known, ...unknown].map((issuer) => untilIssuing(issuer)));

  await pair.failOver();
  const newcomers = [start(ofNewcomers), start(ofNewcomers)];
  if (assumeNoLostWrites) {
    for (const issuer of newcomers) await issuer.until('holding');
    // Otherwise holders could stop before late newcomers start, so that the two never issue at the same time.
    await Promise.all([...unknown, ...newcomers].map((issuer) => untilIssuing(issuer, TOGETHER)));
  } else {
    for (const issuer of newcomers)
      await issuer.until<Waiting>('event', { type: 'waiting', reason: 'history' });
  }
  ofHolders.leadTo(pair.replica.port);
  if (!assumeNoLostWrites) for (const issuer of newcomers) await issuer.until('holding');
  const all = [known, ...unknown, ...newcomers];
  await Promise.all(all.map((issuer) => untilIssuing(issuer)));
  const ends = await Promise.all(all.map((issuer) => issuer.leave()));
  expect(ends).toEqual(all.map(() => ({ code: 0, signal: null })));
  return all.map(({ ids }) => ids);
}

/** Resolves when a process has generated more IDs than it has now. */
async function untilIssuing(issuer: IssuingProcess, more = 0): Promise<void> {
  const issued = async (): Promise<number> => {
    issuer.order('report');
    return (await issuer.until<{ status: 'report'; issued: number }>('report')).issued;
  };
  const before = await issued();
  await waitFor('more IDs', TIMEOUT_MS, async () => (await issued()) > before + more);
}
