/**
 * `npm run bench -- charts`: draws the charts of docs/bench from the results there. Measures nothing.
 *
 * `--check`: writes nothing, and exits with 1 if a chart isn't what the results give.
 */
import { parseArgs } from 'node:util';
import { drawCharts, outdatedCharts } from './charts.js';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });

if (values.check) {
  for (const fileName of await outdatedCharts()) {
    process.exitCode = 1;
    console.error(`docs/bench/${fileName} isn't what the results give. Run npm run bench -- charts.`);
  }
} else await drawCharts();
