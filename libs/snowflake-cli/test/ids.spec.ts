import fc from 'fast-check';
import { BitLayout, IdDecoder, layoutPresets, suggestLayout } from 'nestjs-snowflake/core';
import { runs } from '../../../test/support/runs.js';
import { NOW, runCli, runProgram } from './run-cli.js';
import { runHere } from './run-here.js';

const ID = '382475217496248322';

/** Prints the time of the ID above in three zones. */
const IN_ZONES = `
  import { localTime } from '${new URL('../dist/ids/show-time.js', import.meta.url).href}';
  for (const zone of ['Asia/Tehran', 'America/St_Johns', 'UTC']) {
    process.env.TZ = zone;
    console.log(localTime(Date.parse('2026-11-21T10:19:57.897Z')));
  }`;

/** Runs a command line that must succeed. Resolves to what it prints. */
async function output(args: readonly string[], input?: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runHere(args, input);
  expect({ code, stderr, args }).toEqual({ code: 0, stderr: '', args });
  return stdout;
}

describe('the command decode', () => {
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

  it('shows the time in any local zone', async () => {
    // The zone belongs to the process.
    const { stdout } = await runProgram(process.execPath, ['--input-type=module', '-e', IN_ZONES]);
    expect(stdout.trim().split('\n')).toEqual([
      '2026-11-21T13:49:57.897+03:30 (Asia/Tehran)',
      '2026-11-21T06:49:57.897-03:30 (America/St_Johns)',
      '2026-11-21T10:19:57.897+00:00 (UTC)',
    ]);
  });

  it('separates IDs by an empty line', async () => {
    const { stdout } = await runHere(['decode', ID, '9007199254740990']);
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
  ])('divides the bits by --layout %s', async (layout, parts) => {
    const { stdout, stderr } = await runHere(['decode', '--layout', layout, ID]);
    for (const part of parts) expect(stdout + stderr).toContain(part);
  });

  it('shows the bits that belong to no field', async () => {
    const { stdout } = await runHere(['decode', '--layout', 'jsSafe53', '4398046511104']);
    expect(stdout).toContain('\n  00000000000 00000000001000000000000000000000000000000 00000 0000000\n');
    expect(stdout).toContain('\n              └ timestamp 1073741824 ms since 2024-01-01T00:00:00.000Z\n');
  });

  it('counts from --epoch although the layout has an epoch of its own', async () => {
    const args = ['decode', '--json', ID, '--epoch', '2025-01-01'];
    expect(JSON.parse((await runHere(args)).stdout)).toMatchObject({ timestamp: '2027-11-22T10:19:57.897Z' });
    const twitter = await runHere([...args, '--layout', 'twitter']);
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
  ])('reads an ID in the form $text', async ({ text, codec }) => {
    const args = ['decode', '--json', ...(codec === undefined ? [] : ['--codec', codec]), text];
    const { stdout, stderr } = await runHere(args);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({ input: text, id: ID });
  });

  it('prints one JSON object per line', async () => {
    const { stdout } = await runHere(['decode', '--json', ID, '1']);
    expect(stdout).toBe(
      `{"input":"${ID}","id":"${ID}","timestamp":"2026-11-21T10:19:57.897Z","timestampMs":1795256397897,` +
        '"tick":91189197897,"workerId":17,"sequence":2,"warnings":[]}\n' +
        '{"input":"1","id":"1","timestamp":"2024-01-01T00:00:00.000Z","timestampMs":1704067200000,' +
        '"tick":0,"workerId":0,"sequence":1,"warnings":["early"]}\n',
    );
  });

  it('shows the right IDs beside the wrong ones, and fails', async () => {
    const { code, stdout, stderr } = await runHere(['decode', '--json', '3.8e17', ID, '0SFjugjHF10']);
    expect(code).toBe(1);
    expect(stdout.match(/"id"/g)).toHaveLength(1);
    const errors = stderr.trimEnd().split('\n');
    expect(errors).toEqual([expect.stringContaining('"3.8e17"'), expect.stringContaining('"0SFjugjHF10"')]);
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
  ])('prints the warnings for %s', async (_what, text, warnings) => {
    const { stdout } = await runHere(['decode', '--json', text]);
    expect(JSON.parse(stdout)).toMatchObject({ warnings });
  });

  it('prints a warning below the ID it concerns', async () => {
    const { code, stdout } = await runHere(['decode', String(Number(ID))]);
    expect(code).toBe(0);
    expect(stdout).toContain('\n  warning: It looks like a rounded JavaScript number');
  });
});

describe('the command decode without IDs', () => {
  it.each([
    ['nothing', []],
    ['-', ['-']],
  ])('reads IDs from its input if it is given %s', async (_what, args) => {
    const { code, stdout } = await runHere(['decode', '--json', ...args], [ID, '', '  1  ', '2']);
    expect(code).toBe(0);
    const ids = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: string }).id);
    expect(ids).toEqual([ID, '1', '2']);
  });

  it.each(['User_17', 'order id,user_id', '_1', 'a b_2', 'Kunde_ü'])(
    'shows the IDs before and after the line "%s", which is none',
    async (wrong) => {
      const input = [ID, wrong, '382475217496248323'];
      const { code, stdout, stderr } = await runHere(['decode', '--json'], input);
      expect(code).toBe(1);
      expect(stdout.match(/"id":"38247521749624832[23]"/g)).toHaveLength(2);
      expect(stderr).toMatch(/^error: line 2: Not a Snowflake ID: .*\[SNOWFLAKE_INVALID_ID\]\n$/);
    },
  );

  it('names the line of a wrong ID', async () => {
    const { code, stderr } = await runHere(['decode'], [ID, '', 'wrong']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: line 3: Not a Snowflake ID: "wrong"/);
  });
});

describe('the command decode on lines of a log', () => {
  const CARD = '4111111111111111';
  const LOG = [
    'Server started at :3000',
    `2026-11-22T10:19:57.897Z INFO [10.0.0.17:3000] order=${ID} took 12.5 ms`,
    '}',
    `{"id":"382475217496248323","card":"${CARD}","at":1795256397897}`,
    'paid ord_0SFjugjHF10, 0x054ed32f12411003 follows',
  ];
  const rowsOf = (stdout: string): unknown[] =>
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);

  it('finds each ID with its line and its name, and skips what is none', async () => {
    const { code, stdout, stderr } = await runHere(['decode', '--json'], LOG);
    expect(code).toBe(0);
    expect(rowsOf(stdout)).toEqual([
      expect.objectContaining({ input: ID, id: ID, line: 2, key: 'order' }),
      expect.objectContaining({ id: '382475217496248323', line: 4, key: 'id' }),
      expect.objectContaining({ input: 'ord_0SFjugjHF10', id: ID, line: 5 }),
      expect.objectContaining({ input: '0x054ed32f12411003', id: '382475217496248323', line: 5 }),
    ]);
    expect(stderr).toMatch(/^Left out .*card/);
    expect(stderr).not.toContain(CARD);
  });

  it('prints where it has found an ID', async () => {
    const { stdout } = await runHere(['decode'], LOG.slice(0, 2));
    expect(stdout).toMatch(/^382475217496248322\n  found  line 2, order\n  UTC /);
  });

  it.each([
    ['0x054ed32f12411002', { input: '0x054ed32f12411002' }],
    [`order=${ID} paid`, { input: ID, key: 'order' }],
    [`${ID}n`, { input: `${ID}n` }],
  ])('finds the ID in the argument "%s"', async (text, expected) => {
    const { code, stdout } = await runHere(['decode', '--json', text]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id: ID, ...expected });
  });

  it('decodes a card number that is given alone', async () => {
    expect((await runHere(['decode', '--json', CARD])).stdout).toContain(`"id":"${CARD}"`);
  });

  it('keeps IDs that look like card numbers by chance among others of their length', async () => {
    const ids = ['4111111111111112', '4111111111111113', '4111111111111114', CARD];
    const { stdout, stderr } = await runHere(['decode', '--json'], [`ids ${ids.join(' ')}`]);
    expect(rowsOf(stdout)).toMatchObject(ids.map((id) => ({ id })));
    expect(stderr).toBe('');
  });

  it('reports a text without any ID, and fails', async () => {
    const { code, stdout, stderr } = await runHere(['decode'], ['Server started', 'Server stopped']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('line 1: ');
    expect(stderr).toContain('2 lines');
  });

  it('reports a line before the first ID of a list, which is none', async () => {
    const { code, stderr } = await runHere(['decode', '--json'], ['wrong', ID]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: line 1: /);
  });

  it('does not search a line if --codec tells what it is', async () => {
    const { code, stderr } = await runHere(['decode', '--codec', 'decimal'], [`order=${ID}`]);
    expect(code).toBe(1);
    expect(stderr).toContain('[SNOWFLAKE_INVALID_ID]');
  });

  it('warns of rounded IDs once if more than a third of a text look so, and not otherwise', async () => {
    const rounded = [String(Number(ID)), '382475217496248400', '382475217496248500'];
    const all = await runHere(['decode', '--json'], [`ids ${rounded.join(' ')}`]);
    expect(rowsOf(all.stdout)).toMatchObject(rounded.map((id) => ({ id, warnings: [] })));
    expect(all.stderr).toMatch(/^warning: 3 of 3 IDs .*rounded/);
    const exact = Array.from({ length: 6 }, (_, index) => `38247521749624832${index + 1}`);
    const few = await runHere(['decode', '--json'], [`ids ${[...rounded, ...exact].join(' ')}`]);
    expect(few.stderr).toBe('');
  });
});

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

describe('the command compose', () => {
  it('prints the ID of its fields in any form', async () => {
    const args = ['compose', '--time', '2026-11-21T10:19:57.897Z', '--worker', '17', '--sequence', '2'];
    const texts = CODECS.map(async (codec) => (await runHere([...args, '--codec', codec])).stdout.trim());
    expect(await Promise.all(texts)).toEqual([
      '382475217496248322',
      '0382475217496248322',
      '054ed32f12411002',
      '0AKPK5W942402',
      '02wm05d9bsjcy',
      '0SFjugjHF10',
      '20261121T101957897-0017-0002',
    ]);
    const { stdout } = await runHere([...args, '--codec', 'hex', '--json']);
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
    [['--time', '2016-01-01', '--worker', '1'], '--time'],
    [['--time', '2126-01-01', '--worker', '1'], '--time'],
    [['--time', 'now', '--worker', '1024'], 'workerId'],
    [['--time', 'now', '--worker', '1', '--sequence', '4096'], 'sequence'],
    [['--time', 'now', '--worker', '1', '--datacenter', '1'], 'datacenterId'],
    [['--time', 'now', '--worker', '1e3'], '--worker'],
    [['--time', 'yesterday', '--worker', '1'], '--time'],
    [['--time', '2026-01-01T00:00', '--worker', '1'], '--time'],
    [['--worker', '1'], '--time'],
  ])('refuses to compose an ID of %j, and names %s', async (args, option) => {
    const { code, stdout, stderr } = await runHere(['compose', ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(option);
  });

  it('composes IDs that decode reads back, in every layout and every form', async () => {
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
      const composed = await output(['compose', ...bits, '--time', time, ...values.flat(), '--codec', codec]);
      const decoded: unknown = JSON.parse(
        await output(['decode', ...bits, '--codec', codec, '--json'], [prefix + composed.trim()]),
      );
      const { worker: workerId, datacenter: datacenterId, sequence } = fields;
      const lower = layout.field('datacenter').bits > 0 ? { datacenterId } : {};
      expect(decoded).toMatchObject({ tick, timestampMs, workerId, sequence, ...lower });
    });
    await fc.assert(property, { numRuns: runs(1000) });
  });
});

describe('the command range', () => {
  it('prints the bounds of a range, and a condition for SQL', async () => {
    const { code, stdout, stderr } = await runHere(['range', '2026-11-20', '2026-11-21T01:00:00+01:00']);
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

  it('prints the bounds as strings in JSON', async () => {
    const { stdout } = await runHere(['range', '1795132800000', 'now', '--json']);
    const { first, before } = new IdDecoder(new BitLayout()).idRange(1795132800000, NOW);
    expect(JSON.parse(stdout)).toEqual({ from: '2026-11-20T00:00:00.000Z', to: NOW, first, before });
    expect(typeof first).toBe('string');
  });

  it.each([
    [['yesterday'], -1, 0],
    [['today'], 0, 1],
    [['yesterday', 'today'], -1, 0],
  ])('takes the day %j in UTC', async (args, from, to) => {
    const day = Date.parse(`${NOW.slice(0, 10)}T00:00:00Z`);
    const { stdout } = await runHere(['range', ...args, '--json']);
    const iso = (days: number): string => new Date(day + days * 86_400_000).toISOString();
    expect(JSON.parse(stdout)).toMatchObject({ from: iso(from), to: iso(to) });
  });

  it.each([
    [['2026-11-20'], '2026-11-20T00:00:00.000Z', '2026-11-21T00:00:00.000Z'],
    [['-90m'], new Date(Date.parse(NOW) - 5_400_000).toISOString(), NOW],
    [['-1h', 'now'], new Date(Date.parse(NOW) - 3_600_000).toISOString(), NOW],
  ])('takes the range %j', async (args, from, to) => {
    const { stdout } = await runHere(['range', ...args, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ from, to });
  });

  it.each([
    ['2020-01-01', '2021-01-01', 'The range ends before the epoch, 2024-01-01T00:00:00.000Z.'],
    ['2026-01-01', '2026-01-01', 'No tick of 1 ms starts in the range.'],
  ])('warns if no ID can be from %s to %s', async (from, to, warning) => {
    const { code, stdout, stderr } = await runHere(['range', from, to, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ from: expect.stringContaining(from) });
    expect(stderr).toContain(`warning: No ID is in this range. ${warning}`);
  });

  it.each([
    [['2026-01-02', '2026-01-01'], 'to is before from'],
    [['2026-01-01', 'then'], 'to is not a valid instant'],
    [['2026-01-01', '20260102'], 'to is'],
    [['2026-01-01T00:00:00Z'], 'to is missing'],
    [['-1x'], "unknown option '-1x'"],
    [['2026-01-01', '2200-01-01'], 'is after the end of the layout'],
  ])('refuses the range %j', async (args, problem) => {
    const { code, stdout, stderr } = await runHere(['range', ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(problem);
  });

  it('prints bounds that contain exactly the IDs that decode to its times', async () => {
    const layout = new BitLayout();
    const decoder = new IdDecoder(layout);
    const times = fc.integer({ min: layout.epochMs, max: layout.expiresAt.getTime() });
    const property = fc.asyncProperty(
      times,
      times,
      fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
      async (a, b, id) => {
        const [from, to] = a < b ? [a, b] : [b, a];
        // It warns of a range without IDs.
        const { stdout } = await runHere(['range', String(from), String(to), '--json']);
        const { first, before } = JSON.parse(stdout) as { first: string; before: string };
        const { timestampMs } = decoder.decode(id);
        expect(BigInt(first) <= id && id < BigInt(before)).toBe(from <= timestampMs && timestampMs < to);
      },
    );
    await fc.assert(property, { numRuns: runs(1000) });
  });
});

const DEMANDS = ['layout', '--years', '50', '--workers', '500', '--rate', '1000'];

describe('the command layout', () => {
  it('prints a layout as options to paste, and what they hold', async () => {
    const { code, stdout, stderr } = await runHere(DEMANDS);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { explanation } = suggestLayout({ years: 50, workers: 500, idsPerSecondPerWorker: 1000 });
    const pasted = 'layout: { timestampBits: 45, workerBits: 13, sequenceBits: 5, tickMs: 1 },';
    expect(stdout).toMatch(
      /^The default layout fits: 1024 worker IDs, 4096000 IDs per second each, until 2093-09-06\./,
    );
    expect(stdout).toContain(`\n\n${pasted}\nepoch: '2024-01-01T00:00:00.000Z',\n\n${explanation}\n`);
  });

  it('prints a layout as JSON, for the epoch and the tick of the options', async () => {
    const { stdout } = await runHere([...DEMANDS, '--tick-ms', '10', '--epoch', '2026-01-01', '--json']);
    const suggestion = suggestLayout({
      years: 50,
      workers: 500,
      idsPerSecondPerWorker: 1000,
      tickMs: 10,
      epoch: '2026-01-01',
    });
    expect(JSON.parse(stdout)).toEqual({ defaultFits: false, ...JSON.parse(JSON.stringify(suggestion)) });
    expect(new BitLayout(suggestion.layout, suggestion.epoch).tickMs).toBe(10);
  });

  it('prints first whether the default layout fits', async () => {
    const { stdout } = await runHere(['layout', '--years', '50', '--workers', '3000', '--rate', '1000']);
    expect(stdout).toMatch(/^The default layout doesn't fit\. This one does:\n\nlayout: \{ timestampBits/);
  });

  it('prints how far each demand of a layout would have to shrink', async () => {
    const { code, stderr } = await runHere([
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

  it('names the flags instead of the properties in the errors of a layout', async () => {
    const tooFast = ['layout', '--years', '5', '--workers', '5', '--rate', '35791395', '--tick-ms', '60000'];
    expect((await runHere(tooFast)).stderr).toMatch(/^error: --rate is out of bounds/);
  });
});
