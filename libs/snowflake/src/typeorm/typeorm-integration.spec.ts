import libsql from 'libsql';
import { DataSource, Entity } from 'typeorm';
import { dataSourceIntegrations } from '../core/index.js';
import { SnowflakeId } from './index.js';
import { typeOrmIntegration } from './typeorm-integration.js';

const ids = { canIssue: true, nextId: () => '1800000000000000001', ready: () => Promise.resolve() };

describe('the integration of TypeORM', () => {
  it('is known as soon as an entity has a Snowflake column, and not by an import', async () => {
    expect([...dataSourceIntegrations()]).toEqual([]);

    for (const name of ['first', 'second']) {
      class Task {
        @SnowflakeId({ name }) id!: string;
      }
      expect(new Task()).toBeDefined();
    }

    expect([...dataSourceIntegrations()]).toEqual([typeOrmIntegration]);
  });

  it('claims DataSources and nothing else', () => {
    const dataSource = new DataSource({ type: 'better-sqlite3', driver: libsql, database: ':memory:' });

    expect(typeOrmIntegration.claims(dataSource)).toBe(true);
    for (const other of [
      undefined,
      null,
      5,
      'DataSource',
      {},
      () => dataSource,
      DataSource,
      dataSource.manager,
    ]) {
      expect(typeOrmIntegration.claims(other)).toBe(false);
    }
  });

  it('attaches a source, and verifies', async () => {
    @Entity()
    class Task {
      @SnowflakeId({ type: 'varchar' }) id!: string;
    }
    const dataSource = new DataSource({
      type: 'better-sqlite3',
      driver: libsql,
      database: ':memory:',
      entities: [Task],
      synchronize: true,
    });
    // The app may initialize it later.
    await expect(typeOrmIntegration.verify(dataSource, new Set())).resolves.toBeUndefined();
    await dataSource.initialize();
    await expect(typeOrmIntegration.verify(dataSource, new Set())).rejects.toThrow('Task.id');

    typeOrmIntegration.attach(dataSource, 'default', ids);
    typeOrmIntegration.attach(dataSource, 'default', ids);

    await expect(typeOrmIntegration.verify(dataSource, new Set())).resolves.toBeUndefined();
    await expect(dataSource.manager.save(Task, {})).resolves.toEqual({ id: ids.nextId() });
    expect(dataSource.subscribers).toHaveLength(1);
    await dataSource.destroy();
  });
});
