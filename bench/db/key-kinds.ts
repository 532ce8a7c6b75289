import type { SnowflakeIdMaker } from 'nestjs-snowflake';
import { attachSnowflake, SnowflakeId } from 'nestjs-snowflake/typeorm';
import {
  Entity,
  type EntitySubscriberInterface,
  EventSubscriber,
  type InsertEvent,
  PrimaryColumn,
  PrimaryGeneratedColumn,
} from 'typeorm';
import { v7 } from 'uuid';
import { counterKinds } from './counter-kinds.js';
import { type KeyKind, PLAIN } from './key-kind.js';
import { OrderColumns } from './order-row.js';

@Entity('orders')
class SnowflakeOrder extends OrderColumns {
  @SnowflakeId() id!: string;
}

/** What `@SnowflakeId()` is without this library: the same column, and the caller sets it. */
@Entity('orders')
class GivenOrder extends OrderColumns {
  @PrimaryColumn('bigint') id!: string;
}

@Entity('orders')
class IncrementOrder extends OrderColumns {
  @PrimaryGeneratedColumn() id!: number;
}

@Entity('orders')
class UuidV4Order extends OrderColumns {
  @PrimaryGeneratedColumn('uuid') id!: string;
}

@Entity('orders')
class UuidV7Order extends OrderColumns {
  @PrimaryColumn('uuid') id!: string;
}

/** TypeORM makes no version 7. A subscriber sets it, as ours does. */
@EventSubscriber()
class UuidV7Subscriber implements EntitySubscriberInterface<UuidV7Order> {
  listenTo(): typeof UuidV7Order {
    return UuidV7Order;
  }

  beforeInsert({ entity }: InsertEvent<UuidV7Order>): void {
    entity.id ??= v7();
  }
}

const INCREMENT: KeyKind = {
  ...PLAIN,
  name: 'increment',
  label: 'auto-increment',
  says: '@PrimaryGeneratedColumn(): the database counts, 32 bits (SQLite: the rowid)',
  entity: IncrementOrder,
  showsTime: false,
};

const UUID_V7: KeyKind = {
  ...PLAIN,
  name: 'uuid_v7',
  label: 'UUID v7',
  says: "package uuid, in a subscriber: @PrimaryColumn('uuid'), which is varchar(36) in SQLite",
  entity: UuidV7Order,
  showsTime: true,
  subscribers: [UuidV7Subscriber],
};

const UUID_V4: KeyKind = {
  ...PLAIN,
  name: 'uuid_v4',
  label: 'UUID v4',
  says:
    "@PrimaryGeneratedColumn('uuid'): PostgreSQL's gen_random_uuid(), else TypeORM in the app; " +
    'uuid, which is varchar(36) in SQLite',
  entity: UuidV4Order,
  showsTime: false,
};

/** Name of the kind that shows the cost of this library on top of TypeORM. */
export const CONTROL = 'given';

/** The first of them is what the others are compared with. */
export function keyKinds(ids: SnowflakeIdMaker): KeyKind[] {
  const snowflake: KeyKind = {
    name: 'snowflake',
    label: '@SnowflakeId()',
    says: 'this library, in the app: bigint',
    entity: SnowflakeOrder,
    showsTime: true,
    subscribers: [],
    attach: (dataSource) => attachSnowflake(dataSource, ids),
  };
  const given: KeyKind = {
    ...snowflake,
    ...PLAIN,
    name: CONTROL,
    label: 'ID set by the caller',
    says: "the same IDs without a subscriber: @PrimaryColumn('bigint'), row.id = ids.nextId()",
    entity: GivenOrder,
    assignKeys: (rows) => rows.forEach((row) => Object.assign(row, { id: ids.nextId() })),
  };
  return [INCREMENT, snowflake, given, UUID_V7, UUID_V4, ...counterKinds(ids)];
}
