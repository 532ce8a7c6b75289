/** Whether this is a run for `npm run test:lab`, which takes its time. */
export const HAS_ALL_RUNS = process.env['TEST_ALL_RUNS'] === 'true';

/**
 * How often a property is tried with random values: `many` times under `npm run test:lab`, and a tenth of that in the
 * runs that people wait for. The values differ from run to run.
 */
export const runs = (many: number): number => (HAS_ALL_RUNS ? many : Math.ceil(many / 10));
