/** A process that gives rows of one year their IDs, batch by batch, until it is killed. Arguments: kind of the store, its URL. */
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { SnowflakeIdMaker } from 'nestjs-snowflake/standalone';

const [kind = '', url = ''] = process.argv.slice(2);
const shared = { url, namespace: 'shop' };
const store = kind === 'redis' ? redisLeaseStore(shared) : sqlLeaseStore({ ...shared, createTable: true });
const ids = new SnowflakeIdMaker({ store, lease: { possibleLoss: 'ignore' } });
await ids.start();

const START_MS = Date.UTC(2025, 0, 1);
for (let batch = 0; process.connected; batch += 1) {
  const instants = Array.from({ length: 50 }, (_, row) => START_MS + batch * 10_000 + row * 137);
  const made = await ids.backfill(instants, { possibleLoss: 'ignore' });
  process.send?.({ batch, ids: [...made, ids.nextId()] });
}
