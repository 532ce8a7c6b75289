import { Entity, getMetadataArgsStorage } from 'typeorm';
import { InvalidOptionError } from '../core/index.js';
import { snowflakeColumn, snowflakeIdColumn } from './entity-schema.js';
import { SnowflakeColumn, SnowflakeId } from './index.js';
import { GeneratedIdTransformer, SnowflakeIdTransformer } from './snowflake-id-transformer.js';

function declaredColumn(target: object, property: string) {
  const column = getMetadataArgsStorage().columns.find(
    (args) => args.target === target && args.propertyName === property,
  );
  return column?.options;
}

describe('@SnowflakeId()', () => {
  class Order {
    @SnowflakeId() id!: string;

    @SnowflakeId({ primary: false, generator: 'audit', type: 'varchar', name: 'trace_id', comment: 'trace' })
    traceId!: string;

    @SnowflakeColumn() customerId!: string;

    @SnowflakeColumn({ nullable: true, type: 'varchar', unique: true }) couponId!: string | null;
  }

  it('declares a primary key of type bigint', () => {
    const options = declaredColumn(Order, 'id');

    expect(options).toMatchObject({ type: 'bigint', primary: true, update: false });
    expect(options?.transformer).toBeInstanceOf(GeneratedIdTransformer);
    expect(options?.transformer).toMatchObject({ generator: 'default', column: 'Order.id', owner: Order });
  });

  it('hands its options on', () => {
    expect(declaredColumn(Order, 'traceId')).toMatchObject({
      type: 'varchar',
      length: 20,
      primary: false,
      update: false,
      name: 'trace_id',
      comment: 'trace',
      transformer: { generator: 'audit' },
    });
  });

  it('differs from a column that holds an ID in who makes it', () => {
    const reference = declaredColumn(Order, 'customerId');

    expect(reference).toMatchObject({ type: 'bigint' });
    expect(reference?.primary).toBeFalsy();
    expect(reference?.transformer).toBeInstanceOf(SnowflakeIdTransformer);
    expect(reference?.transformer).not.toBeInstanceOf(GeneratedIdTransformer);
    expect(declaredColumn(Order, 'couponId')).toMatchObject({
      type: 'varchar',
      length: 20,
      nullable: true,
      unique: true,
    });
  });

  it('has a counterpart for an EntitySchema', () => {
    const id = snowflakeIdColumn({ generator: 'audit', name: 'trace_id' });

    expect(id).toMatchObject({ type: 'bigint', primary: true, name: 'trace_id' });
    expect(id.transformer).toMatchObject({
      generator: 'audit',
      column: 'The column trace_id of an EntitySchema',
    });
    expect(snowflakeIdColumn().transformer).toMatchObject({ column: 'A column of an EntitySchema' });
    expect(snowflakeColumn({ nullable: true })).toMatchObject({ type: 'bigint', nullable: true });
    expect(snowflakeColumn().transformer).not.toBeInstanceOf(GeneratedIdTransformer);
  });

  it('lets an UPDATE write a column that holds an ID, but no key', () => {
    expect(snowflakeColumn()).toMatchObject({ primary: false, update: true });
    expect(snowflakeColumn({ update: false })).toMatchObject({ update: false });
    expect(snowflakeColumn({ primary: true })).toMatchObject({ primary: true, update: false });
    expect(snowflakeColumn({ primary: true, update: true })).toMatchObject({ update: true });
  });

  it('refuses a property that rounds the ID', () => {
    expect(() => {
      @Entity()
      class Rounded {
        @SnowflakeId() id!: number;
      }
      return Rounded;
    }).toThrow('Rounded.id must be a property of type string (given: "number"). Declare it as `id!: string`');
  });

  it('refuses a property that TypeORM cannot handle', () => {
    expect(() => {
      class Big {
        @SnowflakeColumn({ nullable: true }) otherId!: bigint;
      }
      return Big;
    }).toThrow('Big.otherId must be a property of type string (given: "bigint")');
  });

  it.each<[string, () => unknown]>([
    ['generator', () => snowflakeIdColumn({ generator: '' })],
    ['generator', () => snowflakeIdColumn({ generator: 5 as unknown as string })],
    ['type', () => snowflakeIdColumn({ type: 'int' as 'bigint' })],
    ['type', () => snowflakeColumn({ type: 'uuid' as 'bigint' })],
    ['nullable', () => snowflakeColumn({ primary: true, nullable: true })],
  ])('refuses a wrong %s', (option, make) => {
    expect(make).toThrow(InvalidOptionError);
    expect(make).toThrow(expect.objectContaining({ option }));
  });
});
