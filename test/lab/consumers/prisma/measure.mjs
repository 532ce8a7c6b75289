// Prints how much longer writes take with the extension than with keys that the caller passes. It runs in an app that
// test/lab/long/orms/prisma.spec.ts has installed and generated: node measure.mjs <provider> <url> [rounds]
//
// A second run of the caller's keys is the control: it differs from the first only by noise. An extension that does nothing shows the
// part of the cost that Prisma adds for any extension.
import process from 'node:process';
import { SnowflakeIdMaker, staticLeaseStore } from 'nestjs-snowflake/standalone';
import { createTables, open, PROVIDER, URL_OF_DATABASE } from './database.mjs';

const ROUNDS = Number(process.argv[4] ?? 200);
/** V8 optimizes what the ways have in common long before what only one of them runs. */
const WARM_UP_ROUNDS = 60;
const ids = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 7 }) });
await ids.start();
const { client, extend } = await open(PROVIDER, URL_OF_DATABASE);
const db = extend(ids);
const idle = client.$extends({ query: { $allModels: { $allOperations: ({ args, query }) => query(args) } } });
await createTables(client, PROVIDER);
const id = () => ids.nextBigInt();

const times = async (count, write) => {
  for (let at = 0; at < count; at++) await write();
};
const rows = (count, made) => Array.from({ length: count }, made);
const line = () => ({ sku: 'a', parts: { create: [{ name: 'a' }] } });
const lineWithIds = () => ({ id: id(), sku: 'a', parts: { create: [{ id: id(), name: 'a' }] } });
/** Of each way to write: with the keys of the caller, and without keys. */
const WAYS = {
  'create × 10': {
    given: (to) => times(10, () => to.order.create({ data: { id: id(), note: 'a' } })),
    without: (to) => times(10, () => to.order.create({ data: { note: 'a' } })),
  },
  'createMany of 200': {
    given: (to) => to.order.createMany({ data: rows(200, () => ({ id: id(), note: 'a' })) }),
    without: (to) => to.order.createMany({ data: rows(200, () => ({ note: 'a' })) }),
  },
  'nested create of 7 × 3': {
    given: (to) =>
      times(3, () =>
        to.order.create({ data: { id: id(), note: 'a', lines: { create: rows(3, lineWithIds) } } }),
      ),
    without: (to) =>
      times(3, () => to.order.create({ data: { note: 'a', lines: { create: rows(3, line) } } })),
  },
};
/** Each follows each other equally often, so that none profits from the caches that another one has warmed. */
const ORDERS = [
  ['given', 'control', 'extended', 'idle'],
  ['control', 'idle', 'given', 'extended'],
  ['idle', 'extended', 'control', 'given'],
  ['extended', 'given', 'idle', 'control'],
];

/** Returns the time of the wall and of this process's CPUs. A busy machine changes the first much more. */
async function timesOf(work) {
  const cpuBefore = process.cpuUsage();
  const from = process.hrtime.bigint();
  await work();
  const wallMs = Number(process.hrtime.bigint() - from) / 1e6;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { wallMs, cpuMs: (user + system) / 1000 };
}

/** The median of the ratios within each round, and the bounds between which it is with a confidence of 95 %. */
function medianOf(ratios) {
  const sorted = ratios.toSorted((one, other) => one - other);
  const shown = (at) => sorted[Math.min(Math.max(Math.round(at), 0), sorted.length - 1)].toFixed(3);
  const half = 0.98 * Math.sqrt(sorted.length);
  const middle = (sorted.length - 1) / 2;
  return `× ${shown(middle)} (${shown(middle - half)} to ${shown(middle + half)})`;
}

const printed = {};
for (const [name, { given, without }] of Object.entries(WAYS)) {
  const works = {
    given: () => given(client),
    control: () => given(client),
    extended: () => without(db),
    idle: () => given(idle),
  };
  const rounds = [];
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    const measured = {};
    for (const work of ORDERS[Math.abs(round) % ORDERS.length]) measured[work] = await timesOf(works[work]);
    if (round >= 0) rounds.push(measured);
  }
  const compared = (work, other) => ({
    cpu: medianOf(rounds.map((round) => round[work].cpuMs / round[other].cpuMs)),
    wall: medianOf(rounds.map((round) => round[work].wallMs / round[other].wallMs)),
  });
  printed[name] = {
    'the extension against keys of the caller': compared('extended', 'given'),
    'an extension that does nothing against keys of the caller': compared('idle', 'given'),
    'the extension against one that does nothing': compared('extended', 'idle'),
    'control: keys of the caller against the same': compared('control', 'given'),
  };
}
await client.$disconnect();
await ids.stop();
console.log(JSON.stringify(printed, undefined, 2));
