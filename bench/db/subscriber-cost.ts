import libsql from 'libsql';
import type { SnowflakeIdMaker } from 'nestjs-snowflake';
import { attachSnowflake, prepareDatabase, SnowflakeId } from 'nestjs-snowflake/typeorm';
import {
  DataSource,
  Entity,
  type InsertEvent,
  type ObjectLiteral,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  type Repository,
} from 'typeorm';
import { type NewOrder, newOrders, OrderColumns, type OrderRow } from './order-row.js';
import { CHUNK_ROWS } from './order-table.js';
import { rotated, Samples } from './samples.js';
import { microsEach } from './timing.js';

@Entity('orders')
class SnowflakeOrder extends OrderColumns {
  @SnowflakeId() id!: string;
}

@Entity('orders')
class BareOrder extends OrderColumns {
  @PrimaryColumn('bigint') id!: string;
}

@Entity('orders')
class IncrementOrder extends OrderColumns {
  @PrimaryGeneratedColumn() id!: number;
}

/** Nanoseconds a call, and microseconds a row of a bulk insert into SQLite in memory. */
export interface SubscriberCost {
  /** Of one call for an entity without an ID; the ID and TypeORM's event are part of it. */
  readonly assignNs: number;
  /** Of the same call for an entity that has its ID. */
  readonly checkNs: number;
  /** Of making the event and the ID alone. */
  readonly idAndEventNs: number;
  /** Bulk insert under a bigint key that the app sets, no subscriber. */
  readonly bareMicros: number;
  /** The difference to it: the subscriber checks the IDs that the app sets. */
  readonly checkedMicrosMore: number;
  /** The difference to it: the subscriber assigns the IDs. */
  readonly assignedMicrosMore: number;
  /** Bulk insert under an auto-increment key that the database sets. */
  readonly incrementMicros: number;
  /** The difference to it: the app sets the same key. So this is what one more value costs TypeORM and the driver. */
  readonly oneMoreValueMicros: number;
}

/** What the subscriber costs an entity: by itself, and as a difference between bulk inserts. */
export async function measureSubscriber(ids: SnowflakeIdMaker, rounds: number): Promise<SubscriberCost> {
  const served = await inMemory(SnowflakeOrder, ids);
  const [bare, increment] = [await inMemory(BareOrder), await inMemory(IncrementOrder)];
  try {
    const inserts = await measureInserts(
      {
        bare: bare.getRepository<OrderRow>(BareOrder),
        served: served.getRepository<OrderRow>(SnowflakeOrder),
        increment: increment.getRepository<OrderRow>(IncrementOrder),
      },
      ids,
      rounds,
    );
    return { ...measureCalls(served, ids, rounds), ...inserts };
  } finally {
    await Promise.all([bare, served, increment].map((dataSource) => dataSource.destroy()));
  }
}

async function inMemory(entity: new () => OrderRow, ids?: SnowflakeIdMaker): Promise<DataSource> {
  const dataSource = new DataSource({
    type: 'better-sqlite3',
    driver: libsql,
    database: ':memory:',
    prepareDatabase,
    entities: [entity],
    synchronize: true,
  });
  if (ids !== undefined) attachSnowflake(dataSource, ids);
  return dataSource.initialize();
}

/** As many as a chunk holds, again and again: more of them at once would measure the garbage collector. */
const BATCHES_PER_ROUND = 20;

type CallCost = Pick<SubscriberCost, 'assignNs' | 'checkNs' | 'idAndEventNs'>;

function measureCalls(dataSource: DataSource, ids: SnowflakeIdMaker, rounds: number): CallCost {
  const [subscriber] = dataSource.subscribers;
  if (subscriber?.beforeInsert === undefined) throw new Error('The subscriber is not attached');
  const call = subscriber.beforeInsert.bind(subscriber);
  const eventOf = eventsOf(dataSource);
  // Kept, so that the compiler cannot leave the work out.
  let outcome: unknown;
  const viaSubscriber = (entity: ObjectLiteral): void => {
    outcome = call(eventOf(entity));
    if (outcome !== undefined) throw new Error('The subscriber waits: the ID maker cannot issue');
  };
  const idAndEvent = (entity: ObjectLiteral): void => {
    outcome = eventOf(entity);
    entity['id'] = ids.nextId();
  };
  const samples = new Samples();
  for (let batch = 0; batch < rounds * BATCHES_PER_ROUND; batch++) {
    const entities = newOrders(CHUNK_ROWS);
    samples.add('assign', nanosEach(entities, viaSubscriber));
    samples.add('check', nanosEach(entities, viaSubscriber));
    samples.add('idAndEvent', nanosEach(newOrders(CHUNK_ROWS), idAndEvent));
  }
  return {
    assignNs: Math.round(samples.median('assign')),
    checkNs: Math.round(samples.median('check')),
    idAndEventNs: Math.round(samples.median('idAndEvent')),
  };
}

/** What TypeORM hands to a subscriber. */
function eventsOf(dataSource: DataSource): (entity: ObjectLiteral) => InsertEvent<ObjectLiteral> {
  const queryRunner = dataSource.createQueryRunner();
  const metadata = dataSource.getMetadata(SnowflakeOrder);
  const { manager } = queryRunner;
  return (entity) => ({ dataSource, connection: dataSource, queryRunner, manager, entity, metadata });
}

function nanosEach(entities: readonly ObjectLiteral[], task: (entity: ObjectLiteral) => void): number {
  const startedMs = performance.now();
  for (const entity of entities) task(entity);
  return ((performance.now() - startedMs) * 1e6) / entities.length;
}

async function measureInserts(
  tables: Record<'bare' | 'served' | 'increment', Repository<OrderRow>>,
  ids: SnowflakeIdMaker,
  rounds: number,
): Promise<Omit<SubscriberCost, keyof CallCost>> {
  const samples = new Samples();
  const variants = [
    { name: 'bare', table: tables.bare, rows: () => withIds(() => ids.nextId()) },
    { name: 'checked', table: tables.served, rows: () => withIds(() => ids.nextId()) },
    { name: 'assigned', table: tables.served, rows: () => newOrders(CHUNK_ROWS) },
    { name: 'increment', table: tables.increment, rows: () => newOrders(CHUNK_ROWS) },
    { name: 'one more value', table: tables.increment, rows: () => withIds((index) => index + 1) },
  ];
  for (let round = 0; round < rounds; round++) {
    for (const { name, table, rows: make } of rotated(variants, round)) {
      const rows: NewOrder[] = make();
      samples.add(name, await microsEach(rows.length, () => table.insert(rows)));
      await table.clear(); // All tables stay of one size.
    }
  }
  return {
    bareMicros: samples.median('bare'),
    checkedMicrosMore: samples.medianMore('checked', 'bare'),
    assignedMicrosMore: samples.medianMore('assigned', 'bare'),
    incrementMicros: samples.median('increment'),
    oneMoreValueMicros: samples.medianMore('one more value', 'increment'),
  };
}

function withIds(idAt: (index: number) => OrderRow['id']): OrderRow[] {
  return newOrders(CHUNK_ROWS).map((row, index) => ({ ...row, id: idAt(index) }));
}
