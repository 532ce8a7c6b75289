import { progress } from '../support/progress.js';
import { writeResults } from '../support/results.js';
import { measureSegments, SEGMENT_STEPS } from './measure/measure.js';
import { segmentText } from './report.js';
import { FULL, QUICK } from './settings.js';

/** Measures segments, prints the tables, and writes docs/bench/segments.json unless it is a smoke run. */
export async function runSegments(isQuick: boolean): Promise<void> {
  const shown = progress('segments', SEGMENT_STEPS);
  let done = 0;
  const report = await measureSegments(isQuick ? QUICK : FULL, (note) => shown.step(++done, note));
  shown.end();
  console.log(segmentText(report));
  if (!isQuick) await writeResults('segments', { quick: isQuick, ...report });
  if (report.uniqueness.duplicates === 0) return;
  process.exitCode = 1;
  console.error(`Segments repeated ${report.uniqueness.duplicates} numbers.`);
}
