import { Column } from 'typeorm';

/** The columns of all tables besides the key. */
export abstract class OrderColumns {
  @Column('int') amount!: number;

  @Column('varchar', { length: 60 }) note!: string;

  /** Set by the app, so that no database has a default to return. */
  @Column({ type: Date, precision: 3 }) createdAt!: Date;
}

/** A row of any of the tables. */
export interface OrderRow extends OrderColumns {
  id: string | number;
}

export type NewOrder = Omit<OrderRow, 'id'>;

const NOTE = 'Leave it at the door, please. Thank you!';

/** Rows without a key, all of this instant. */
export function newOrders(count: number): NewOrder[] {
  const createdAt = new Date();
  return Array.from({ length: count }, (_, index) => ({ amount: index % 1000, note: NOTE, createdAt }));
}
