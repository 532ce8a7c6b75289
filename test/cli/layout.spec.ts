import { BitLayout, suggestLayout } from 'nestjs-snowflake/core';
import { runCli } from './run-cli.js';

const DEMANDS = ['layout', '--years', '50', '--workers', '500', '--rate', '1000'];

describe('layout', () => {
  it('prints options to paste, and what they hold', async () => {
    const { code, stdout, stderr } = await runCli(DEMANDS);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { explanation } = suggestLayout({ years: 50, workers: 500, idsPerSecondPerWorker: 1000 });
    const pasted = 'layout: { timestampBits: 45, workerBits: 13, sequenceBits: 5, tickMs: 1 },';
    expect(stdout).toBe(`${pasted}\nepoch: '2024-01-01T00:00:00.000Z',\n\n${explanation}\n`);
  });

  it('prints the same as JSON, for the epoch and the tick of the options', async () => {
    const { stdout } = await runCli([...DEMANDS, '--tick-ms', '10', '--epoch', '2026-01-01', '--json']);
    const suggestion = suggestLayout({
      years: 50,
      workers: 500,
      idsPerSecondPerWorker: 1000,
      tickMs: 10,
      epoch: '2026-01-01',
    });
    expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(suggestion)));
    expect(new BitLayout(suggestion.layout, suggestion.epoch).tickMs).toBe(10);
  });

  it('says how far each demand would have to shrink', async () => {
    const { code, stderr } = await runCli([
      'layout',
      '--years',
      '500',
      '--workers',
      '50000',
      '--rate',
      '100000000',
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain('--years, --workers, --rate need');
    expect(stderr).toContain('Use --workers 4, or --rate 8000.');
  });

  it('names its own options in errors', async () => {
    const tooFast = ['layout', '--years', '5', '--workers', '5', '--rate', '35791395', '--tick-ms', '60000'];
    expect((await runCli(tooFast)).stderr).toMatch(/^error: --rate is out of bounds/);
  });
});
