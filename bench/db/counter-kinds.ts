import type { SnowflakeIdMaker } from 'nestjs-snowflake';
import { Segments, sqlSegmentStore } from 'nestjs-snowflake-segments';
import { createSeriesTables, Series, SeriesNumber, SeriesSubscriber } from 'nestjs-snowflake-series';
import { attachSnowflake, SnowflakeId } from 'nestjs-snowflake/typeorm';
import {
  type DataSource,
  Entity,
  type EntitySubscriberInterface,
  EventSubscriber,
  type InsertEvent,
  PrimaryColumn,
  PrimaryGeneratedColumn,
} from 'typeorm';
import { type KeyKind, PLAIN } from './key-kind.js';
import { OrderColumns } from './order-row.js';

const STEP = 8;
const OFFSET = 3;

@Entity('orders')
class SteppedOrder extends OrderColumns {
  @PrimaryGeneratedColumn() id!: number;
}

@Entity('orders')
class CountedOrder extends OrderColumns {
  @PrimaryColumn('bigint') id!: string;
}

@Entity('orders')
class SegmentOrder extends OrderColumns {
  @PrimaryColumn('bigint') id!: string;
}

@Entity('orders')
class NumberedOrder extends OrderColumns {
  @SnowflakeId() id!: string;

  @SeriesNumber<NumberedOrder>({
    series: 'order',
    format: 'O-{year}-{number:7}',
    resets: 'year',
    zone: 'Europe/Berlin',
    date: 'createdAt',
    unique: true,
  })
  number!: string;
}

/** Kinds that count: in the database, or in blocks that it grants. */
export function counterKinds(ids: SnowflakeIdMaker): KeyKind[] {
  return [stepped(), sequenceTable(), segments(), series(ids)];
}

function stepped(): KeyKind {
  return {
    ...PLAIN,
    name: 'stepped',
    label: 'auto-increment with a step',
    says: `as one of several databases: start ${OFFSET}, step ${STEP}; SQLite has no step`,
    entity: SteppedOrder,
    only: ['postgres', 'mariadb'],
    showsTime: false,
    async prepare(dataSource) {
      const sql =
        dataSource.options.type === 'postgres'
          ? `ALTER SEQUENCE orders_id_seq INCREMENT BY ${STEP} RESTART WITH ${OFFSET}`
          : `SET SESSION auto_increment_increment = ${STEP}, SESSION auto_increment_offset = ${OFFSET}`;
      await dataSource.query(sql);
    },
    async problemOf(dataSource) {
      const [row] = await dataSource.query<{ count: string }[]>(
        `SELECT COUNT(*) AS count FROM orders WHERE id % ${STEP} <> ${OFFSET}`,
      );
      return Number(row?.count) === 0 ? undefined : `${row?.count} keys belong to other databases`;
    },
  };
}

/** One row of a table counts, and each INSERT begins with an UPDATE of it. */
function sequenceTable(): KeyKind {
  return {
    ...PLAIN,
    name: 'sequence_table',
    label: 'sequence table',
    says: 'the app updates a counter in a table, once per INSERT: bigint',
    entity: CountedOrder,
    showsTime: false,
    async prepare(dataSource) {
      await dataSource.query('CREATE TABLE counters (name varchar(20) PRIMARY KEY, last bigint NOT NULL)');
      await dataSource.query("INSERT INTO counters VALUES ('orders', 0)");
    },
    async assignKeys(rows, dataSource) {
      const last = await advance(dataSource, rows.length);
      rows.forEach((row, index) => Object.assign(row, { id: String(last - rows.length + 1 + index) }));
    },
  };
}

async function advance(dataSource: DataSource, count: number): Promise<number> {
  if (dataSource.options.type === 'mariadb') {
    await dataSource.query(
      `UPDATE counters SET last = LAST_INSERT_ID(last + ${count}) WHERE name = 'orders'`,
    );
    const [row] = await dataSource.query<{ last: string }[]>('SELECT LAST_INSERT_ID() AS last');
    return Number(row?.last);
  }
  const runner = dataSource.createQueryRunner();
  try {
    const sql = `UPDATE counters SET last = last + ${count} WHERE name = 'orders' RETURNING last`;
    const { records } = await runner.query(sql, [], true);
    return Number((records as { last: string }[])[0]?.last);
  } finally {
    await runner.release();
  }
}

function segments(): KeyKind {
  let running: Segments | undefined;
  const next = (): string => {
    if (!running) throw new Error('The segments have not been started');
    return running.source('orders').nextString();
  };
  return {
    ...PLAIN,
    name: 'segments',
    label: 'segments',
    says: 'this library, in the app, in blocks from a table of the same database: bigint',
    entity: SegmentOrder,
    showsTime: false,
    subscribers: [subscriberWith(next)],
    async prepare(dataSource) {
      const store = sqlSegmentStore({ dataSource, createTable: true });
      running = new Segments({ store, tags: ['orders'] });
      await running.start();
    },
    // SQLite answers within the turn of the event loop, and leaves none for a claim in the background.
    async assignKeys(rows) {
      await running?.source('orders').ready(rows.length);
    },
    async close() {
      await running?.stop();
    },
  };
}

function subscriberWith(next: () => string): new () => EntitySubscriberInterface<SegmentOrder> {
  @EventSubscriber()
  class SegmentSubscriber implements EntitySubscriberInterface<SegmentOrder> {
    listenTo(): typeof SegmentOrder {
      return SegmentOrder;
    }

    beforeInsert({ entity }: InsertEvent<SegmentOrder>): void {
      entity.id ??= next();
    }
  }
  return SegmentSubscriber;
}

function series(ids: SnowflakeIdMaker): KeyKind {
  const own = new Series();
  return {
    ...PLAIN,
    // It is named as the other tables with a Snowflake ID are.
    name: 'snowflake_series',
    label: '@SnowflakeId() and @SeriesNumber()',
    says: 'a Snowflake ID, and the gapless number of a series in a second, unique column; each INSERT in a transaction',
    entity: NumberedOrder,
    showsTime: true,
    subscribers: [SeriesSubscriber],
    attach: (dataSource) => attachSnowflake(dataSource, ids),
    prepare: (dataSource) => createSeriesTables(dataSource),
    write: (dataSource, insert) => own.transaction(dataSource, insert),
    async problemOf(dataSource) {
      const [row] = await dataSource.query<{ count: string; distinct_count: string; last: string }[]>(
        'SELECT COUNT(*) AS count, COUNT(DISTINCT number) AS distinct_count, MAX(number) AS last FROM orders',
      );
      const [count, distinct] = [Number(row?.count), Number(row?.distinct_count)];
      const last = Number(row?.last.split('-').at(-1));
      return count === distinct && count === last
        ? undefined
        : `${count} rows have ${distinct} numbers, up to ${last}`;
    },
  };
}
