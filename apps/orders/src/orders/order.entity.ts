import { SnowflakeColumn, SnowflakeId } from 'nestjs-snowflake/typeorm';
import { Column, Entity, Index, JoinColumn, JoinTable, ManyToMany, ManyToOne, OneToMany } from 'typeorm';
import { Customer } from '../customers/customer.entity.js';
import { Product } from '../products/product.entity.js';

/** Has no column for the time of creation, because the ID contains it. */
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

  /** Quantities and prices; saved together with the order. */
  @OneToMany(() => OrderLine, (line) => line.order, { cascade: true })
  lines!: OrderLine[];

  /** The ordered products. */
  @ManyToMany(() => Product)
  @JoinTable({
    name: 'order_products',
    joinColumn: { name: 'orderId' },
    inverseJoinColumn: { name: 'productId' },
  })
  products!: Product[];
}

/** Is in the same file as `Order`, because the two refer to each other and modules shouldn't import each other. */
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
