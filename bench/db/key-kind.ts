import type { DataSource, EntityManager, EntitySubscriberInterface } from 'typeorm';
import type { DatabaseName } from './databases.js';
import type { NewOrder, OrderRow } from './order-row.js';

/** A kind of primary key, and how an app uses it. */
export interface KeyKind {
  /** Part of the names of databases and files. */
  readonly name: string;
  readonly label: string;
  /** The origin and the type of the value. */
  readonly says: string;
  readonly entity: new () => OrderRow;
  /** Absent if it is measured in all databases. */
  readonly only?: readonly DatabaseName[];
  /** Whether the key contains the time of creation. If not, a search by time needs its own index. */
  readonly showsTime: boolean;
  /** Subscribers for the options of the DataSource. */
  readonly subscribers: (new () => EntitySubscriberInterface)[];
  /** Assigns keys to the rows if the caller does that, as part of the measured time. */
  assignKeys?(rows: readonly NewOrder[], dataSource: DataSource): void | Promise<void>;
  /** Runs before the DataSource is initialized. */
  attach(dataSource: DataSource): void;
  /** Runs after the initialization and before the first row. */
  prepare?(dataSource: DataSource): Promise<void>;
  /** Runs each INSERT in a transaction if it needs one. If absent, TypeORM decides. */
  write?(dataSource: DataSource, insert: (manager: EntityManager) => Promise<unknown>): Promise<unknown>;
  /** Returns the problems of the keys, except duplicates. */
  problemOf?(dataSource: DataSource): Promise<string | undefined>;
  close?(): Promise<void>;
}

export const PLAIN = { subscribers: [], attach: () => undefined };
