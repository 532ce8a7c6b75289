import { SeriesNumber } from 'nestjs-snowflake-series';
import { SnowflakeColumn, SnowflakeId } from 'nestjs-snowflake/typeorm';
import { Column, Entity, JoinColumn, ManyToOne, Unique } from 'typeorm';
import { Order } from '../orders/order.entity.js';

/** What a customer pays: one per order. Its key is a Snowflake ID, and people read its number. */
@Entity('invoices')
@Unique('invoices_by_order', ['orderId'])
@Unique('invoices_by_number', ['number'])
export class Invoice {
  @SnowflakeId()
  id!: string;

  /** Unique, and the `document` of the number: a repeated request finds both. */
  @SnowflakeColumn()
  orderId!: string;

  @ManyToOne(() => Order)
  @JoinColumn({ name: 'orderId' })
  order!: Order;

  /** Date of the invoice, as `2026-12-31`. Its year is that of the number. */
  @Column({ type: 'date' })
  issuedOn!: string;

  /** Has no gap: an invoice that is rolled back gives its number back. */
  @SeriesNumber<Invoice>({
    series: 'invoice',
    format: 'INV-{year}-{number:5}',
    resets: 'year',
    zone: 'Europe/Berlin',
    date: 'issuedOn',
    document: (invoice) => invoice.orderId,
  })
  number!: string;
}
