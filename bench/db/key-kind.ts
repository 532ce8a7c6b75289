import {
  Between,
  type DataSource,
  type EntityManager,
  type EntitySubscriberInterface,
  type FindOptionsWhere,
} from 'typeorm';
import type { DatabaseName } from './databases.js';
import type { NewOrder, OrderRow } from './order-row.js';

/** A kind of primary key, and how a team uses it. */
export interface KeyKind {
  /** For names of databases and files. */
  readonly name: string;
  readonly label: string;
  /** Who makes the value, and of which type it is. */
  readonly says: string;
  /** What a search by time is. */
  readonly search: string;
  readonly entity: new () => OrderRow;
  /** Absent where it is measured in all databases. */
  readonly only?: readonly DatabaseName[];
  /** Whether the key tells when a row was made. If not, a search by time needs an index of its own. */
  readonly showsTime: boolean;
  /** For the options of the DataSource. */
  readonly subscribers: (new () => EntitySubscriberInterface)[];
  /** Gives rows their keys where the caller does so, as part of what is timed. */
  giveKeys?(rows: readonly NewOrder[], dataSource: DataSource): void | Promise<void>;
  /** Before the DataSource is initialized. */
  attach(dataSource: DataSource): void;
  /** After that, before the first row. */
  prepare?(dataSource: DataSource): Promise<void>;
  /** Runs each INSERT where it needs a transaction. Without it, TypeORM decides. */
  write?(dataSource: DataSource, insert: (manager: EntityManager) => Promise<unknown>): Promise<unknown>;
  /** Returns what is wrong with the keys, other than that two are equal. */
  faultOf?(dataSource: DataSource): Promise<string | undefined>;
  close?(): Promise<void>;
  /** Rows from the first millisecond to the last, both included. */
  madeBetween(firstMs: number, lastMs: number): FindOptionsWhere<OrderRow>;
}

export const BY_CREATED_AT = 'createdAt BETWEEN first AND last, with an index that is made after the inserts';

export const PLAIN = { subscribers: [], attach: () => undefined };

export function createdBetween(firstMs: number, lastMs: number): FindOptionsWhere<OrderRow> {
  return { createdAt: Between(new Date(firstMs), new Date(lastMs)) };
}
