import libsql from 'libsql';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { prepareDatabase } from 'nestjs-snowflake/typeorm';
import { DataSource } from 'typeorm';
import { Files } from '../../../../libs/snowflake-cli/test/operator.js';
import { holderOn, RunningConsole } from '../../../../libs/snowflake-cli/test/running-console.js';
import { databaseFor } from '../../../support/servers/index.js';

const files = new Files();
afterAll(() => files.remove());

describe('the command console', () => {
  it.each(['mariadb', 'sqlite'] as const)('serves the worker IDs of a %s database', async (kind) => {
    const url = kind === 'sqlite' ? `sqlite:${files.path('ids.sqlite')}` : await databaseFor(kind, 'console');
    const dataSource = new DataSource(
      kind === 'sqlite'
        ? {
            type: 'better-sqlite3',
            driver: libsql,
            database: files.path('ids.sqlite'),
            prepareDatabase,
          }
        : { type: kind, url },
    );
    const maker = await holderOn(
      sqlLeaseStore({ dataSource: await dataSource.initialize(), namespace: 'shop', createTable: true }),
    );
    const console = await RunningConsole.start('--database', url, '--namespace', 'shop');
    expect(console.output).toMatch(new RegExp(`^${kind} (.* )?namespace "shop"`, 'm'));
    await console.event('web-1');
    expect(await console.interrupt()).toBe(0);
    await maker.stop();
    await dataSource.destroy();
  });
});
