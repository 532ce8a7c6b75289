/**
 * A process that gives rows of one year their IDs, batch by batch, until it is killed. Arguments: the kind of its store, the address, the
 * namespace, and `forgets` if it takes no account of what imports have claimed.
 */
import { BACKFILL_MECHANISMS } from 'nestjs-snowflake/internal/stores/protocol/backfill-transaction';
import { SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import { type StoreKind, storeOf } from './store-of.js';

const [kind, address = '', namespace = '', defect] = process.argv.slice(2);
if (defect === 'forgets') BACKFILL_MECHANISMS.servedUntilMs = () => 0;
const store = storeOf(kind as StoreKind, address, namespace);
const ids = new SnowflakeIdMaker({ store, lease: { possibleLoss: 'ignore' } });
await ids.start();

const START_MS = Date.UTC(2025, 0, 1);
for (let batch = 0; process.connected; batch += 1) {
  const instants = Array.from({ length: 50 }, (_, row) => START_MS + batch * 10_000 + row * 137);
  const past = await ids.backfill(instants, { possibleLoss: 'ignore' });
  process.send?.({ batch, past, present: ids.nextId() });
}
