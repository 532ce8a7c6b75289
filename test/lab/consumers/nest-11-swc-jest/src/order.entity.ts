import { SnowflakeColumn, SnowflakeId } from 'nestjs-snowflake/typeorm';
import { Entity } from 'typeorm';

@Entity('orders')
export class Order {
  @SnowflakeId()
  id!: string;

  @SnowflakeColumn()
  customerId!: string;
}
