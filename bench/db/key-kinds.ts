import type { SnowflakeIdMaker } from 'nestjs-snowflake';
import { attachSnowflake, SnowflakeId } from 'nestjs-snowflake/typeorm';
import {
  Between,
  Entity,
  type EntitySubscriberInterface,
  EventSubscriber,
  type InsertEvent,
  PrimaryColumn,
  PrimaryGeneratedColumn,
} from 'typeorm';
import { v7 } from 'uuid';
import { counterKinds } from './counter-kinds.js';
import { BY_CREATED_AT, createdBetween, type KeyKind, PLAIN } from './key-kind.js';
import { OrderColumns } from './order-row.js';

@Entity('orders')
class SnowflakeOrder extends OrderColumns {
  @SnowflakeId() id!: string;
}

@Entity('orders', { withoutRowid: true })
class ClusteredSnowflakeOrder extends OrderColumns {
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

/** TypeORM makes no version 7. Set before `save` is called, the key would cost a SELECT: hence a subscriber, as ours. */
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
  search: BY_CREATED_AT,
  entity: IncrementOrder,
  showsTime: false,
  madeBetween: createdBetween,
};

const UUID_V7: KeyKind = {
  ...PLAIN,
  name: 'uuid_v7',
  label: 'UUID v7',
  says: "package uuid, in a subscriber: @PrimaryColumn('uuid'), which is varchar(36) in SQLite",
  search: 'id BETWEEN the smallest and the largest UUID v7 of the two milliseconds',
  entity: UuidV7Order,
  showsTime: true,
  subscribers: [UuidV7Subscriber],
  madeBetween: (firstMs, lastMs) => ({ id: Between(uuidBound(firstMs, 0x00), uuidBound(lastMs, 0xff)) }),
};

const UUID_V4: KeyKind = {
  ...PLAIN,
  name: 'uuid_v4',
  label: 'UUID v4',
  says:
    "@PrimaryGeneratedColumn('uuid'): PostgreSQL's gen_random_uuid(), else TypeORM in the app; " +
    'uuid, which is varchar(36) in SQLite',
  search: BY_CREATED_AT,
  entity: UuidV4Order,
  showsTime: false,
  madeBetween: createdBetween,
};

/** Name of the kind that shows the cost of this library on top of TypeORM. */
export const CONTROL = 'given';

/** The first of them is what the others are compared with. */
export function keyKinds(ids: SnowflakeIdMaker): KeyKind[] {
  const snowflake: KeyKind = {
    name: 'snowflake',
    label: '@SnowflakeId()',
    says: 'this library, in the app: bigint',
    search: 'id BETWEEN ids.firstIdAt(first) AND ids.lastIdAt(last)',
    entity: SnowflakeOrder,
    showsTime: true,
    subscribers: [],
    attach: (dataSource) => attachSnowflake(dataSource, ids),
    madeBetween: (firstMs, lastMs) => ({ id: Between(ids.firstIdAt(firstMs), ids.lastIdAt(lastMs)) }),
  };
  const given: KeyKind = {
    ...snowflake,
    ...PLAIN,
    name: CONTROL,
    label: 'ID set by the caller',
    says: "the same IDs without a subscriber: @PrimaryColumn('bigint'), row.id = ids.nextId(); save() looks for the row first",
    entity: GivenOrder,
    assignKeys: (rows) => rows.forEach((row) => Object.assign(row, { id: ids.nextId() })),
  };
  const clustered: KeyKind = {
    ...snowflake,
    name: 'snowflake_clustered',
    label: '@SnowflakeId(), WITHOUT ROWID',
    says: '@Entity({ withoutRowid: true }): the rows lie in the index of the key, as in MariaDB',
    entity: ClusteredSnowflakeOrder,
    only: ['sqlite'],
  };
  return [INCREMENT, snowflake, clustered, given, UUID_V7, UUID_V4, ...counterKinds(ids)];
}

/** The smallest or the largest version 7 of a millisecond: all bits below the timestamp alike. */
function uuidBound(msecs: number, filler: 0x00 | 0xff): string {
  return v7({ msecs, seq: filler === 0 ? 0 : 0xff_ff_ff_ff, random: new Uint8Array(16).fill(filler) });
}
