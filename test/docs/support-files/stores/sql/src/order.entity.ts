import { SnowflakeId } from 'nestjs-snowflake/typeorm';
import { Column, Entity } from 'typeorm';

@Entity('orders')
export class Order {
  @SnowflakeId()
  id!: string;
  @Column()
  item!: string;
}
