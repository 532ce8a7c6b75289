import { runCli } from '../../../../libs/snowflake-cli/test/run-cli.js';

const ID = '382475217496248322';

describe('decode with its input in a pipe', () => {
  it('decodes a long input in little memory, even one without line ends', async () => {
    const env = { NODE_OPTIONS: '--max-old-space-size=24' };
    const lines = await runCli(['decode', '--json'], { input: `${ID}\n`.repeat(20_000), env });
    expect(lines.code).toBe(0);
    expect(lines.stdout.match(/\n/g)).toHaveLength(20_000);
    const endless = await runCli(['decode'], { input: '1'.repeat(60_000_000), env });
    expect(endless.code).toBe(1);
    expect(endless.stderr).toContain('error: line 1: Not a Snowflake ID');
  });
});
