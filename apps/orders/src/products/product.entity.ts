import { SnowflakeId } from 'nestjs-snowflake/typeorm';
import { Column, Entity } from 'typeorm';

@Entity('products')
export class Product {
  @SnowflakeId()
  id!: string;

  @Column({ type: 'varchar', length: 40, unique: true })
  sku!: string;
}
