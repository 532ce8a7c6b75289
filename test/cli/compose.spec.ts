import fc from 'fast-check';
import { BitLayout, layoutPresets } from 'nestjs-snowflake/core';
import { runCommandLine } from '../../libs/snowflake/src/cli/command-line.js';
import { runs } from '../support/runs.js';
import { MemoryTerminal } from './memory-terminal.js';
import { runCli } from './run-cli.js';

const CODECS = ['decimal', 'sortable-decimal', 'hex', 'base32', 'base36', 'base62', 'readable'];

/** Layouts as text for `--layout`, and as they are. */
const LAYOUTS: readonly (readonly [text: string, layout: BitLayout])[] = [
  ['41/10/12', new BitLayout()],
  ['41/5/5/12', new BitLayout({ datacenterBits: 5, workerBits: 5 })],
  ...Object.entries(layoutPresets).map(
    ([name, { layout, epoch }]) => [name, new BitLayout(layout, epoch)] as const,
  ),
  ...['sequence', 'worker', 'datacenter'].map((first) => {
    const order = [first, ...['datacenter', 'worker', 'sequence'].filter((name) => name !== first)] as never;
    const layout = new BitLayout(
      { datacenterBits: 3, workerBits: 9, sequenceBits: 8, tickMs: 4, order },
      '2020-02-02',
    );
    return [`v2 ${layout.fingerprint} workers=0+512`, layout] as const;
  }),
  [new BitLayout({ workerBits: 0 }).fingerprint, new BitLayout({ workerBits: 0 })],
];

/** Runs one command line in this process, and returns what it prints. */
async function run(args: readonly string[], input?: readonly string[]): Promise<string> {
  const terminal = new MemoryTerminal(input);
  const code = await runCommandLine(args, terminal);
  expect({ code, errors: terminal.errors, args }).toEqual({ code: 0, errors: '', args });
  return terminal.output;
}

describe('compose', () => {
  it('prints the ID of these fields, in any form', async () => {
    const args = ['compose', '--time', '2026-11-21T10:19:57.897Z', '--worker', '17', '--sequence', '2'];
    const texts = CODECS.map(async (codec) => (await runCli([...args, '--codec', codec])).stdout.trim());
    expect(await Promise.all(texts)).toEqual([
      '382475217496248322',
      '0382475217496248322',
      '054ed32f12411002',
      '0AKPK5W942402',
      '02wm05d9bsjcy',
      '0SFjugjHF10',
      '20261121T101957897-0017-0002',
    ]);
    const { stdout } = await runCli([...args, '--codec', 'hex', '--json']);
    expect(JSON.parse(stdout)).toEqual({
      output: '054ed32f12411002',
      id: '382475217496248322',
      timestamp: '2026-11-21T10:19:57.897Z',
      timestampMs: 1795256397897,
      tick: 91189197897,
      workerId: 17,
      sequence: 2,
    });
  });

  it.each([
    [['--time', '2016-01-01', '--worker', '1'], '--time is outside of the layout'],
    [['--time', '2126-01-01', '--worker', '1'], '--time is outside of the layout'],
    [['--time', 'now', '--worker', '1024'], 'workerId is out of bounds'],
    [['--time', 'now', '--worker', '1', '--sequence', '4096'], 'sequence is out of bounds'],
    [['--time', 'now', '--worker', '1', '--datacenter', '1'], 'datacenterId is out of bounds'],
    [['--time', 'now', '--worker', '1e3'], '--worker is not a whole number'],
    [['--time', 'yesterday', '--worker', '1'], '--time is not a valid instant'],
    [['--time', '2026-01-01T00:00', '--worker', '1'], '--time is a different instant in each time zone'],
    [['--worker', '1'], "required option '--time <time>' not specified"],
  ])('refuses %j', async (args, problem) => {
    const { code, stdout, stderr } = await runCli(['compose', ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(problem);
  });

  it('makes IDs that decode reads back, in every layout and every form', async () => {
    const cases = fc.constantFrom(...LAYOUTS).chain(([text, layout]) =>
      fc.record({
        text: fc.constant(text),
        codec: fc.constantFrom(...CODECS),
        prefix: fc.constantFrom('', 'ord_', 'order_item_'),
        // The form "readable" ends with the year 9999.
        tick: fc.integer({ min: 0, max: Math.min(layout.maxTick, layout.tickAt(Date.parse('9999-12-31'))) }),
        layout: fc.constant(layout),
        worker: fc.integer({ min: 0, max: layout.maxWorkerId }),
        datacenter: fc.integer({ min: 0, max: layout.maxDatacenterId }),
        sequence: fc.integer({ min: 0, max: layout.maxSequence }),
      }),
    );
    const property = fc.asyncProperty(cases, async ({ text, codec, prefix, tick, layout, ...fields }) => {
      const bits = ['--layout', text];
      const timestampMs = layout.startOfTick(tick);
      const values = Object.entries(fields).map(([name, value]) => [`--${name}`, String(value)]);
      const time = new Date(timestampMs).toISOString();
      const composed = await run(['compose', ...bits, '--time', time, ...values.flat(), '--codec', codec]);
      const decoded: unknown = JSON.parse(
        await run(['decode', ...bits, '--codec', codec, '--json'], [prefix + composed.trim()]),
      );
      const { worker: workerId, datacenter: datacenterId, sequence } = fields;
      const lower = layout.field('datacenter').bits > 0 ? { datacenterId } : {};
      expect(decoded).toMatchObject({ tick, timestampMs, workerId, sequence, ...lower });
    });
    await fc.assert(property, { numRuns: runs(1000) });
  });
});
