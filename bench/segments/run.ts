/**
 * `npm run bench -- segments`: the last part of `npm run bench` alone. Prints tables, writes docs/bench/segments.json. Exits with
 * 1 only if a number was issued twice.
 *
 * `--quick`: a smoke run, which writes nothing to docs/bench.
 */
import { parseArgs } from 'node:util';
import { runSegments } from './run-segments.js';

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
await runSegments(values.quick);
