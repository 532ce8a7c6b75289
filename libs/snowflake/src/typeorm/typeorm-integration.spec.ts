import libsql from 'libsql';
import { DataSource, Entity, EntitySchema } from 'typeorm';
import { DATA_SOURCE_INTEGRATION } from '../core/index.js';
import {
  SnowflakeId,
  snowflakeIdColumn,
  snowflakeSchema,
  SnowflakeSubscriber,
  snowflakeSubscriber,
} from './index.js';
import { typeOrmIntegration } from './typeorm-integration.js';

const ids = { canIssue: true, nextId: () => '1800000000000000001', ready: () => Promise.resolve() };

describe('the integration of TypeORM', () => {
  const integrationOf = (target: object): unknown => Reflect.getMetadata(DATA_SOURCE_INTEGRATION, target);

  it('marks classes with a Snowflake column, their children, schemas and subscribers', () => {
    class Plain {
      id!: string;
    }
    class Task {
      @SnowflakeId() id!: string;
    }
    class SubTask extends Task {}
    const schema = (name: string) => new EntitySchema({ name, columns: { id: snowflakeIdColumn() } });

    for (const target of [
      Task,
      SubTask,
      snowflakeSchema(schema('A')),
      SnowflakeSubscriber,
      snowflakeSubscriber(ids),
    ]) {
      expect(integrationOf(target)).toBe(typeOrmIntegration);
    }
    for (const target of [Plain, schema('B')]) expect(integrationOf(target)).toBeUndefined();
  });

  it('leaves other objects alone', async () => {
    expect(() => typeOrmIntegration.attach({}, 'default', ids)).not.toThrow();
    await expect(typeOrmIntegration.verify({}, new Set())).resolves.toBeUndefined();
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
