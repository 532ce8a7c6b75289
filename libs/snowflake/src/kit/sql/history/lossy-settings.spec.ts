import type { SqlDialect } from '../dialects/dialect.js';
import { lossySettingsOf } from './lossy-settings.js';
import { mysql } from '../dialects/mysql.js';
import { postgres } from '../dialects/postgres.js';
import type { SqlRow } from '../statements.js';

const namesOf = async (dialect: SqlDialect, rows: readonly SqlRow[]): Promise<string[]> =>
  (await lossySettingsOf(dialect, { query: async () => rows })).map(({ name }) => name);

describe('the lossy settings of MariaDB and MySQL', () => {
  const FLUSH = 'innodb_flush_log_at_trx_commit';
  const lossy = (variables: Readonly<Record<string, string>>): Promise<string[]> =>
    namesOf(
      mysql,
      Object.entries(variables).map(([name, value]) => ({ Variable_name: name, Value: value })),
    );

  it.each([
    [{ [FLUSH]: '1', log_bin: 'OFF', sync_binlog: '0' }, []],
    [{ [FLUSH]: '1', log_bin: 'ON', sync_binlog: '1' }, []],
    // Flushes the end of each commit by itself.
    [{ [FLUSH]: '3', log_bin: 'ON', sync_binlog: '0' }, []],
    [{ [FLUSH]: '1', log_bin: 'ON', sync_binlog: '0' }, ['sync_binlog']],
    [{ [FLUSH]: '1', log_bin: 'ON', sync_binlog: '100' }, ['sync_binlog']],
    [{ [FLUSH]: '0', log_bin: 'OFF' }, [FLUSH]],
    [{ [FLUSH]: '2', log_bin: 'ON', sync_binlog: '1' }, [FLUSH]],
    [{ [FLUSH]: '1', innodb_flush_method: 'O_DIRECT' }, []],
    [{ [FLUSH]: '1', innodb_flush_method: 'nosync' }, ['innodb_flush_method']],
  ])('finds the settings with which a crash can lose commits: %j', async (variables, expected) => {
    await expect(lossy(variables)).resolves.toEqual(expected);
  });
});

describe('the lossy settings of PostgreSQL', () => {
  const FSYNC = { name: 'fsync', setting: 'off' };

  it('finds fsync = off', async () => {
    await expect(namesOf(postgres, [{ ...FSYNC, is_replaced: 0 }])).resolves.toEqual(['fsync']);
  });

  it('leaves them out where the server says that it commits to a storage service', async () => {
    await expect(namesOf(postgres, [{ ...FSYNC, is_replaced: 1 }])).resolves.toEqual([]);
  });

  it('keeps them for a restart of such a server, about which nobody has asserted anything', async () => {
    const rows = [{ ...FSYNC, is_replaced: 1 }];
    await expect(postgres.findLossySettings(async () => rows)).resolves.toHaveLength(1);
  });
});
