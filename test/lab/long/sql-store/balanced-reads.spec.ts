import { firstRequest, granted } from '../../../integration/redis-store/requests.js';
import { ReplicatedDatabase } from '../../../integration/sql-store/support/replicated-database.js';
import { Stores } from '../../../integration/sql-store/support/stores.js';
import { startPgpool } from '../../../support/servers/index.js';
import { cleanUpAfterEach } from '../../../support/clean-up.js';

const stores = new Stores();

// Stores close before their servers stop.
afterEach(() => stores.close());
const cleanUp = cleanUpAfterEach();

describe('leases through a pgpool that sends reads to a replica', () => {
  it('leases on the primary through a pgpool that sends plain reads to the replica', async () => {
    const pair = await ReplicatedDatabase.start('PostgreSQL');
    cleanUp(() => pair.stop());
    const own = stores.open({
      dataSource: pair.options(pair.primary),
      namespace: 'shop',
      createTable: true,
    });
    await granted(own.lease(firstRequest('own')));
    await pair.untilReplicated('SELECT count(*) AS leases FROM snowflake_lease');
    await pair.cutOff();
    const missed = await granted(own.lease(firstRequest('missed by the replica')));
    const pgpool = await startPgpool(pair.primary, pair.replica);
    cleanUp(() => pgpool.stop());

    const plain = await pair.query(pgpool, 'SELECT worker_id FROM snowflake_lease');
    expect(plain).not.toContainEqual({ worker_id: missed.workerId });
    const balanced = stores.open({ dataSource: pair.options(pgpool), namespace: 'shop' });
    const grant = await granted(balanced.lease(firstRequest('balanced')));
    expect(grant.workerId).toBe(missed.workerId + 1);
    expect((await own.inspect()).rows).toContainEqual(
      expect.objectContaining({ workerId: grant.workerId, fencingToken: grant.fencingToken }),
    );
  });
});
