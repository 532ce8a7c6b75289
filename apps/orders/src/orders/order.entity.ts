import { SnowflakeColumn, SnowflakeId } from 'nestjs-snowflake/typeorm';
import { Column, Entity, Index, JoinColumn, JoinTable, ManyToMany, ManyToOne, OneToMany } from 'typeorm';
import { Customer } from '../customers/customer.entity.js';
import { Product } from '../products/product.entity.js';

/** There is no column for the time of creation: it is in the ID. */
@Entity('orders')
export class Order {
  @SnowflakeId()
  id!: string;

  @Index()
  @SnowflakeColumn()
  customerId!: string;

  @ManyToOne(() => Customer)
  @JoinColumn({ name: 'customerId' })
  customer!: Customer;

  /** What was sold at what price; saved together with the order. */
  @OneToMany(() => OrderLine, (line) => line.order, { cascade: true })
  lines!: OrderLine[];

  /** The catalogue's entries of what was sold. */
  @ManyToMany(() => Product)
  @JoinTable({
    name: 'order_products',
    joinColumn: { name: 'orderId' },
    inverseJoinColumn: { name: 'productId' },
  })
  products!: Product[];
}

/** In the same file as the order it is a part of: the two name each other, which two modules should not. */
@Entity('order_lines')
export class OrderLine {
  @SnowflakeId()
  id!: string;

  @Index()
  @SnowflakeColumn()
  orderId!: string;

  @ManyToOne(() => Order, (order) => order.lines, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'orderId' })
  order!: Order;

  @Column({ type: 'varchar', length: 40 })
  sku!: string;

  @Column({ type: 'int' })
  quantity!: number;

  @Column({ type: 'int' })
  unitPriceCents!: number;
}
