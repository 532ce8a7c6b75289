import fc from 'fast-check';
import { IdDecoder, BitLayout } from 'nestjs-snowflake/core';
import { runCommandLine } from '../../libs/snowflake/src/cli/command-line.js';
import { runs } from '../support/runs.js';
import { MemoryTerminal } from './memory-terminal.js';
import { NOW, runCli } from './run-cli.js';

describe('range', () => {
  it('prints the bounds, and a condition for SQL', async () => {
    const { code, stdout, stderr } = await runCli(['range', '2026-11-20', '2026-11-21T01:00:00+01:00']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(
      [
        'first   381956810342400000',
        'before  382319198208000000',
        '',
        'WHERE id >= 381956810342400000 AND id < 382319198208000000',
        '',
      ].join('\n'),
    );
  });

  it('prints JSON with IDs as strings', async () => {
    const { stdout } = await runCli(['range', '1795132800000', 'now', '--json']);
    const { first, before } = new IdDecoder(new BitLayout()).idRange(1795132800000, NOW);
    expect(JSON.parse(stdout)).toEqual({ from: '2026-11-20T00:00:00.000Z', to: NOW, first, before });
    expect(typeof first).toBe('string');
  });

  it.each([
    ['2020-01-01', '2021-01-01', 'It ends before the epoch, 2024-01-01T00:00:00.000Z.'],
    ['2026-01-01', '2026-01-01', 'No tick of 1 ms starts in it.'],
  ])('warns if no ID can be from %s to %s', async (from, to, warning) => {
    const { code, stdout, stderr } = await runCli(['range', from, to, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ from: expect.stringContaining(from) });
    expect(stderr).toContain(`warning: No ID is in this range. ${warning}`);
  });

  it.each([
    [['2026-01-02', '2026-01-01'], 'to is before from'],
    [['2026-01-01', 'then'], 'to is not a valid instant'],
    [['2026-01-01', '20260102'], 'to is'],
    [['2026-01-01'], "missing required argument 'to'"],
    [['2026-01-01', '2200-01-01'], 'is after the end of the layout'],
  ])('refuses %j', async (args, problem) => {
    const { code, stdout, stderr } = await runCli(['range', ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(problem);
  });

  it('contains exactly the IDs that decode to its times', async () => {
    const layout = new BitLayout();
    const decoder = new IdDecoder(layout);
    const times = fc.integer({ min: layout.epochMs, max: layout.expiresAt.getTime() });
    const property = fc.asyncProperty(
      times,
      times,
      fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
      async (a, b, id) => {
        const terminal = new MemoryTerminal();
        const [from, to] = a < b ? [a, b] : [b, a];
        await runCommandLine(['range', String(from), String(to), '--json'], terminal);
        const { first, before } = JSON.parse(terminal.output) as { first: string; before: string };
        const { timestampMs } = decoder.decode(id);
        expect(BigInt(first) <= id && id < BigInt(before)).toBe(from <= timestampMs && timestampMs < to);
      },
    );
    await fc.assert(property, { numRuns: runs(1000) });
  });
});
