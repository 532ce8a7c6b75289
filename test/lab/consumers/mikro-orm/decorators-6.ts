import { Entity, PrimaryKey, Property } from '@mikro-orm/core';
import { snowflakeKey, snowflakeReference } from './ids.js';

@Entity({ tableName: 'orders' })
export class Order {
  @PrimaryKey(snowflakeKey())
  id!: string;

  @Property(snowflakeReference())
  customerId!: string;

  @Property({ ...snowflakeReference(), nullable: true })
  refundOf: string | null = null;
}
