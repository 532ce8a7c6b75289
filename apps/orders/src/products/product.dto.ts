import { ApiProperty } from '@nestjs/swagger';
import { ApiSnowflakeId, SNOWFLAKE_ID_SCHEMA } from 'nestjs-snowflake/swagger';

export class ProductDto {
  @ApiSnowflakeId()
  readonly id!: string;

  @ApiProperty({ description: 'Stock keeping unit', example: 'BOOK-1' })
  readonly sku!: string;
}

export class ProductPageDto {
  @ApiProperty({ type: [ProductDto] })
  readonly items!: ProductDto[];

  @ApiProperty({
    ...SNOWFLAKE_ID_SCHEMA,
    nullable: true,
    description: '`after` of the next page; null on the last page',
  })
  readonly next!: string | null;
}
