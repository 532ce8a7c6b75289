import { SnowflakeColumn, SnowflakeId } from 'nestjs-snowflake/typeorm';
import {
  Column,
  Entity,
  JoinColumn,
  JoinTable,
  ManyToMany,
  ManyToOne,
  OneToMany,
  OneToOne,
  type Relation,
} from 'typeorm';

@Entity()
export class Customer {
  @SnowflakeId() id!: string;

  @Column({ type: 'varchar', length: 100, unique: true }) email!: string;

  @SnowflakeColumn({ nullable: true }) referredBy!: string | null;
}

@Entity()
export class Product {
  @SnowflakeId() id!: string;

  @Column({ type: 'varchar', length: 100 }) name!: string;
}

@Entity()
export class Order {
  @SnowflakeId() id!: string;

  @Column({ type: 'varchar', length: 100, default: '' }) note!: string;

  @SnowflakeColumn({ nullable: true }) customerId!: string | null;

  /** Shares its database column with {@link customerId}. */
  @ManyToOne(() => Customer, { cascade: true })
  @JoinColumn({ name: 'customerId' })
  customer?: Customer | null;

  @OneToMany(() => OrderLine, (line) => line.order, { cascade: true })
  lines?: Relation<OrderLine[]>;

  @ManyToMany(() => Product, { cascade: true })
  @JoinTable()
  gifts?: Product[];

  @OneToOne(() => Invoice, (invoice) => invoice.order, { cascade: true })
  invoice?: Relation<Invoice>;

  @OneToOne(() => Delivery, (delivery) => delivery.order, { cascade: true })
  delivery?: Relation<Delivery>;
}

@Entity()
export class OrderLine {
  @SnowflakeId() id!: string;

  @Column({ type: 'varchar', length: 100 }) sku!: string;

  /** Its foreign key column is TypeORM's own, without a transformer. */
  @ManyToOne(() => Order, (order) => order.lines, { orphanedRowAction: 'delete' })
  order?: Order;
}

@Entity()
export class Invoice {
  @SnowflakeId() id!: string;

  @OneToOne(() => Order, (order) => order.invoice, { cascade: ['insert'] })
  @JoinColumn()
  order?: Order;
}

/** Has no ID of its own: its primary key is the order's. */
@Entity()
export class Delivery {
  @SnowflakeColumn({ primary: true }) orderId!: string;

  @Column({ type: 'varchar', length: 100 }) street!: string;

  @OneToOne(() => Order, (order) => order.delivery)
  @JoinColumn({ name: 'orderId' })
  order?: Order;
}

export const SHOP = [Customer, Product, Order, OrderLine, Invoice, Delivery];
