// Prints what becomes of each way to write: node run-shapes.mjs <provider> <url>
import { SnowflakeIdMaker, staticLeaseStore } from 'nestjs-snowflake/standalone';
import { createTables, open, PROVIDER, refusalOf, URL_OF_DATABASE } from './database.mjs';
import { MISSING, SHAPES } from './shapes.mjs';

const ids = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 7 }) });
const { client, extend } = await open(PROVIDER, URL_OF_DATABASE);
const db = extend(ids);
await createTables(client, PROVIDER);
// The first write waits for the lease.
const printed = { canIssueBefore: ids.canIssue, shapes: {} };
const seen = new Set();

async function outcomeOf(name, write) {
  if (MISSING[name]?.includes(PROVIDER)) return 'missing';
  let made = [];
  const refusal = await refusalOf(async () => (made = await write(db)));
  if (refusal !== undefined) return refusal;
  const isFilled =
    made.length > 0 && made.every((id) => typeof id === 'bigint' && ids.decode(id).workerId === 7);
  const isNew = made.every((id) => !seen.has(id)) && new Set(made).size === made.length;
  for (const id of made) seen.add(id);
  return isFilled && isNew ? 'filled' : `not ours: ${made}`;
}

for (const [name, write] of Object.entries(SHAPES)) printed.shapes[name] = await outcomeOf(name, write);
await client.$disconnect();
await ids.stop();
console.log(JSON.stringify(printed));
