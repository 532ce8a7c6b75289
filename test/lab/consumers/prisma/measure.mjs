// Prints how much longer writes take with the extension than with keys that the caller passes:
// node measure.mjs <provider> <url> [rounds]
import process from 'node:process';
import { SnowflakeIdMaker, staticLeaseStore } from 'nestjs-snowflake/standalone';
import { createTables, open, PROVIDER, URL_OF_DATABASE } from './database.mjs';

const ROUNDS = Number(process.argv[4] ?? 40);
const WARM_UP_ROUNDS = 10;
const ids = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 7 }) });
await ids.start();
const { client, extend } = await open(PROVIDER, URL_OF_DATABASE);
const db = extend(ids);
await createTables(client, PROVIDER);
const id = () => ids.nextBigInt();

const rows = (count, made) => Array.from({ length: count }, made);
const line = () => ({ sku: 'a', parts: { create: [{ name: 'a' }] } });
const lineWithIds = () => ({ id: id(), sku: 'a', parts: { create: [{ id: id(), name: 'a' }] } });
const ways = {
  'create × 50': {
    given: async () => {
      for (let at = 0; at < 50; at++) await client.order.create({ data: { id: id(), note: 'a' } });
    },
    extended: async () => {
      for (let at = 0; at < 50; at++) await db.order.create({ data: { note: 'a' } });
    },
  },
  'createMany of 500': {
    given: () => client.order.createMany({ data: rows(500, () => ({ id: id(), note: 'a' })) }),
    extended: () => db.order.createMany({ data: rows(500, () => ({ note: 'a' })) }),
  },
  'nested create of 7 × 10': {
    given: async () => {
      for (let at = 0; at < 10; at++)
        await client.order.create({ data: { id: id(), note: 'a', lines: { create: rows(3, lineWithIds) } } });
    },
    extended: async () => {
      for (let at = 0; at < 10; at++)
        await db.order.create({ data: { note: 'a', lines: { create: rows(3, line) } } });
    },
  },
};

/** Returns the time of the wall and of this process's CPUs. A busy machine changes the first much more. */
async function timesOf(work) {
  const cpuBefore = process.cpuUsage();
  const from = process.hrtime.bigint();
  await work();
  const wallMs = Number(process.hrtime.bigint() - from) / 1e6;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { wallMs, cpuMs: (user + system) / 1000 };
}
const median = (numbers) => numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)];

const printed = {};
for (const [name, { given, extended }] of Object.entries(ways)) {
  const rounds = [];
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    // Alternates the order, so that neither profits from the other's warm caches.
    const isGivenFirst = round % 2 === 0;
    const first = await timesOf(isGivenFirst ? given : extended);
    const second = await timesOf(isGivenFirst ? extended : given);
    if (round >= 0) rounds.push(isGivenFirst ? [first, second] : [second, first]);
  }
  const compared = (unit) => {
    const [one, other] = [0, 1].map((at) => median(rounds.map((round) => round[at][unit])));
    return `${other.toFixed(1)} against ${one.toFixed(1)}: × ${(other / one).toFixed(3)}`;
  };
  printed[name] = { cpuMs: compared('cpuMs'), wallMs: compared('wallMs') };
}
await client.$disconnect();
await ids.stop();
console.log(JSON.stringify(printed, undefined, 2));
