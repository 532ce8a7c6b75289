/**
 * `npm run bench -- segments`: ns per number, and numbers while the store answers late. Prints tables, writes
 * docs/bench/segments.json.
 *
 * `--quick`: a smoke run, which writes nothing to docs/bench.
 */
import { parseArgs } from 'node:util';
import { writeResults } from '../support/results.js';
import { markdownTable } from '../support/table.js';
import { measureSpeeds } from './measure/speed.js';
import { measureTraffic } from './measure/traffic.js';
import { FULL, QUICK } from './settings.js';

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const settings = values.quick ? QUICK : FULL;

// Speeds first, because later code changes the type feedback of V8.
const speeds = await measureSpeeds(settings);
const traffic = await measureTraffic(settings);
const nextNs = speeds.find(({ what }) => what === 'next()')?.ns ?? Number.NaN;

console.log(`ns per number in batches of ${settings.callsPerRound.toLocaleString('en-US')} calls, loop included, in the quickest round:

${markdownTable(
  ['', 'ns', 'times next()'],
  speeds.map(({ what, ns }) => [what, ns.toFixed(1), (ns / nextNs).toFixed(2)]),
)}

100,000 numbers a second for each latency of the store, 250,000 numbers a claim:

${markdownTable(
  ['store answers after', 'numbers', 'segments', 'turns without a number'],
  traffic.map(({ latencyMs, numbers, segments, starved }) => [`${latencyMs} ms`, numbers, segments, starved]),
)}`);
if (!values.quick) await writeResults('segments', { speeds, traffic });
