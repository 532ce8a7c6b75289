import { runCli } from './run-cli.js';

const ID = '382475217496248322';

describe('decode', () => {
  it('shows the time in UTC and in the local zone, the age, and the bits of each field', async () => {
    const { code, stdout, stderr } = await runCli(['decode', ID]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(`382475217496248322
  UTC    2026-11-21T10:19:57.897Z
  local  2026-11-21T11:19:57.897+01:00 (Europe/Berlin)
  age    2 days ago

  0 00001010100111011010011001011110001001001 0000010001 000000000010
    │                                         │          └ sequence 2
    │                                         └ worker ID 17
    └ timestamp 91189197897 ms since 2024-01-01T00:00:00.000Z
`);
  });

  it.each([
    ['Asia/Tehran', '2026-11-21T13:49:57.897+03:30 (Asia/Tehran)'],
    ['America/St_Johns', '2026-11-21T06:49:57.897-03:30 (America/St_Johns)'],
    ['UTC', '2026-11-21T10:19:57.897+00:00 (UTC)'],
  ])('knows the zone %s', async (TZ, local) => {
    expect((await runCli(['decode', ID], { env: { TZ } })).stdout).toContain(`local  ${local}\n`);
  });

  it('separates IDs by an empty line', async () => {
    const { stdout } = await runCli(['decode', ID, '9007199254740990']);
    expect(stdout.split('\n\n')).toHaveLength(4);
    expect(stdout).toContain('\n\n9007199254740990\n  UTC    2024-01-25T20:31:23.647Z\n');
  });

  it.each([
    ['41/5/5/12', ['datacenter ID 0', 'worker ID 17', 'sequence 2', '00000 10001 000000000010']],
    ['sonyflake', ['timestamp 22797299474 ticks of 10 ms since 2014-09-01', 'sequence 65', 'worker ID 4098']],
    ['40/8/8', ['is beyond']],
    [
      'epoch=2020-01-01T00:00:00.000Z tick=1ms timestamp:41 worker:10 sequence:12',
      ['2022-11-21T10:19:57.897Z'],
    ],
  ])('divides the bits as --layout %s says', async (layout, parts) => {
    const { stdout, stderr } = await runCli(['decode', '--layout', layout, ID]);
    for (const part of parts) expect(stdout + stderr).toContain(part);
  });

  it('shows the bits that no field has', async () => {
    const { stdout } = await runCli(['decode', '--layout', 'jsSafe53', '4398046511104']);
    expect(stdout).toContain('\n  00000000000 00000000001000000000000000000000000000000 00000 0000000\n');
    expect(stdout).toContain('\n              └ timestamp 1073741824 ms since 2024-01-01T00:00:00.000Z\n');
  });

  it('counts from --epoch, also with a layout that has one', async () => {
    const args = ['decode', '--json', ID, '--epoch', '2025-01-01'];
    expect(JSON.parse((await runCli(args)).stdout)).toMatchObject({ timestamp: '2027-11-22T10:19:57.897Z' });
    const twitter = await runCli([...args, '--layout', 'twitter']);
    expect(JSON.parse(twitter.stdout)).toMatchObject({
      timestamp: '2027-11-22T10:19:57.897Z',
      datacenterId: 0,
    });
  });

  it.each([
    { text: ID },
    { text: '0382475217496248322' },
    { text: 'ord_0SFjugjHF10' },
    { text: 'order_item_0SFjugjHF10' },
    { text: '20261121T101957897-0017-0002' },
    { text: 'log_20261121T101957897-0017-0002' },
    { text: '054ed32f12411002', codec: 'hex' },
    { text: 'key_054ed32f12411002', codec: 'hex' },
    { text: '0AKPK5W942402', codec: 'base32' },
    { text: 'oakpk5w9424o2', codec: 'base32' },
    { text: 'AKPK5W942402', codec: 'base32' },
    { text: '2wm05d9bsjcy', codec: 'base36' },
    { text: 'SFjugjHF10', codec: 'base62' },
    { text: ID, codec: 'decimal' },
  ])('reads the form $text', async ({ text, codec }) => {
    const args = ['decode', '--json', ...(codec === undefined ? [] : ['--codec', codec]), text];
    const { stdout, stderr } = await runCli(args);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({ input: text, id: ID });
  });

  it('prints one JSON object a line', async () => {
    const { stdout } = await runCli(['decode', '--json', ID, '1']);
    expect(stdout).toBe(
      `{"input":"${ID}","id":"${ID}","timestamp":"2026-11-21T10:19:57.897Z","timestampMs":1795256397897,` +
        '"tick":91189197897,"workerId":17,"sequence":2,"warnings":[]}\n' +
        '{"input":"1","id":"1","timestamp":"2024-01-01T00:00:00.000Z","timestampMs":1704067200000,' +
        '"tick":0,"workerId":0,"sequence":1,"warnings":["early"]}\n',
    );
  });

  it('shows the right IDs in spite of the wrong ones, and fails', async () => {
    const { code, stdout, stderr } = await runCli(['decode', '--json', '3.8e17', ID, '0SFjugjHF10']);
    expect(code).toBe(1);
    expect(stdout.match(/"id"/g)).toHaveLength(1);
    expect(stderr.split('\n').map((line) => line.slice(0, 60))).toEqual(
      [
        'error: Not a Snowflake ID: "3.8e17" is not decimal. Name its ',
        'error: Not a Snowflake ID: "0SFjugjHF10" is not decimal. Name',
        '',
      ].map((line) => line.slice(0, 60)),
    );
    expect(stderr).toContain('[SNOWFLAKE_INVALID_ID]');
  });
});

describe('the doubts of decode', () => {
  it.each([
    ['a rounded ID', String(Number(ID)), ['rounded']],
    ['an ID that is not', ID, []],
    ['a rounded ID in a form that no number has', 'ord_0SFjugjHF0e', []],
    ['a word that reads as base 62 after a prefix', 'customer_id', ['early']],
    ['a counter', '4711', ['early']],
    ['an ID of the next year', '500000000000000001', ['future']],
    ['an ID below 2^53', '9007199254740990', []],
  ])('name %s', async (_what, text, warnings) => {
    const { stdout } = await runCli(['decode', '--json', text]);
    expect(JSON.parse(stdout)).toMatchObject({ warnings });
  });

  it('are told to people', async () => {
    const { code, stdout } = await runCli(['decode', String(Number(ID))]);
    expect(code).toBe(0);
    expect(stdout).toContain('\n  warning: It looks like a rounded JavaScript number');
  });
});

describe('decode without IDs', () => {
  it.each([
    ['nothing', []],
    ['-', ['-']],
  ])('reads lines from its input: %s', async (_what, args) => {
    const input = `${ID}\n\n  1  \r\n2`;
    const { code, stdout } = await runCli(['decode', '--json', ...args], { input });
    expect(code).toBe(0);
    const ids = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: string }).id);
    expect(ids).toEqual([ID, '1', '2']);
  });

  it.each(['User_17', 'order id,user_id', '_1', 'a b_2', 'Kunde_ü'])(
    'shows the IDs before and after a line that is none: %s',
    async (wrong) => {
      const input = `${ID}\n${wrong}\n382475217496248323\n`;
      const { code, stdout, stderr } = await runCli(['decode', '--json'], { input });
      expect(code).toBe(1);
      expect(stdout.match(/"id":"38247521749624832[23]"/g)).toHaveLength(2);
      expect(stderr).toMatch(/^error: line 2: Not a Snowflake ID: .*\[SNOWFLAKE_INVALID_ID\]\n$/);
    },
  );

  it('names the line of a wrong ID', async () => {
    const { code, stderr } = await runCli(['decode'], { input: `${ID}\n\nwrong\n` });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: line 3: Not a Snowflake ID: "wrong"/);
  });

  it('decodes a long input in little memory, also one without line ends', async () => {
    const env = { NODE_OPTIONS: '--max-old-space-size=24' };
    const lines = await runCli(['decode', '--json'], { input: `${ID}\n`.repeat(20_000), env });
    expect(lines.code).toBe(0);
    expect(lines.stdout.match(/\n/g)).toHaveLength(20_000);
    const endless = await runCli(['decode'], { input: '1'.repeat(60_000_000), env });
    expect(endless.code).toBe(1);
    expect(endless.stderr).toContain('error: line 1: Not a Snowflake ID');
  });
});
