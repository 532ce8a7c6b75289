import { SnowflakeIdMaker, type SnowflakeOptions, staticLeaseStore } from 'nestjs-snowflake';
import { layoutPresets } from 'nestjs-snowflake/core';
import { codeIn, MarkdownPage } from './markdown.js';

const [table] = MarkdownPage.read('README.md').tablesUnder('Comparison');

/** `onClockRollback: 'throw'` → ['rollback', 'throw']. */
function settingOf(code: string): [string, unknown] {
  const [, name = '', value = ''] = /^(\w+): '(\w+)'$/.exec(code) ?? [];
  if (name === '') throw new Error(`No setting: ${code}`);
  return [name, value];
}

/** A row of the table, as options of an ID maker. */
function optionsOf([, layout = '', epoch = '', others = '']: readonly string[]): Partial<SnowflakeOptions> {
  const [preset] = codeIn(layout);
  const [epochMs] = codeIn(epoch);
  return {
    ...(preset !== undefined && { layout: preset.slice(1, -1) as SnowflakeOptions['layout'] }),
    ...(epochMs !== undefined && { epoch: Number(epochMs) }),
    ...Object.fromEntries(codeIn(others).map(settingOf)),
  };
}

const make = (options: Partial<SnowflakeOptions>): SnowflakeIdMaker =>
  new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 1 }), ...options });

describe('the systems that IDs come from', () => {
  const rows = (table?.rows ?? []).map((row) => ({ system: row[0] ?? '', row }));

  it('are those of all presets but jsSafe53, and two more that have the default bits', () => {
    const presets = rows.flatMap(({ row }) => optionsOf(row).layout ?? []);
    expect(presets.sort()).toEqual(
      Object.keys(layoutPresets)
        .filter((name) => name !== 'jsSafe53')
        .sort(),
    );
    expect(rows).toHaveLength(presets.length + 2);
  });

  it.each(rows.filter(({ system }) => !system.startsWith('Baidu')))(
    'have options with which IDs are made: $system',
    async ({ row }) => {
      const ids = make(optionsOf(row));
      await ids.start();
      const before = Date.now();
      const { timestampMs, workerId } = ids.decode(ids.nextId());
      expect(workerId).toBe(1);
      expect(timestampMs).toBeGreaterThanOrEqual(before - ids.layout.tickMs);
      expect(timestampMs).toBeLessThanOrEqual(Date.now() + 1000);
      await ids.stop();
    },
  );

  it('include Baidu, whose layout has ended: it decodes and makes none', () => {
    const { row } = rows.find(({ system }) => system.startsWith('Baidu'))!;
    expect(() => make(optionsOf(row))).toThrow(/28 timestamp bits ended at 2024-11-20/);
  });
});
