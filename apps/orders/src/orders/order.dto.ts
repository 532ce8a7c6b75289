import { ApiProperty } from '@nestjs/swagger';
import { byId } from '../ids/by-id.js';
import { ApiSnowflakeId, SNOWFLAKE_ID_SCHEMA } from 'nestjs-snowflake/swagger';
import { ProductDto } from '../products/product.dto.js';
import type { Order, OrderLine } from './order.entity.js';
import { centsToDecimal } from './money.js';

export class OrderLineDto {
  @ApiSnowflakeId()
  readonly id!: string;

  @ApiProperty({ example: 'BOOK-1' })
  readonly sku!: string;

  @ApiProperty({ example: 2 })
  readonly quantity!: number;

  @ApiProperty({ example: '19.90' })
  readonly unitPrice!: string;
}

export class OrderDto {
  @ApiSnowflakeId()
  readonly id!: string;

  @ApiProperty({ description: 'Read from the ID', example: '2026-03-31T10:45:10.123Z' })
  readonly createdAt!: Date;

  @ApiSnowflakeId()
  readonly customerId!: string;

  @ApiProperty({ type: [OrderLineDto] })
  readonly lines!: OrderLineDto[];

  @ApiProperty({ type: [ProductDto] })
  readonly products!: ProductDto[];

  @ApiProperty({ description: 'Sum of quantity × unitPrice', example: '39.80' })
  readonly total!: string;

  static of(order: Order, createdAt: Date): OrderDto {
    const { id, customerId, lines, products } = order;
    return {
      id,
      createdAt,
      customerId,
      lines: [...lines].sort(byId).map(lineDto),
      products: [...products].sort(byId).map((product) => ({ id: product.id, sku: product.sku })),
      total: centsToDecimal(totalCents(lines)),
    };
  }
}

export class OrderPageDto {
  @ApiProperty({ type: [OrderDto] })
  readonly items!: OrderDto[];

  @ApiProperty({
    ...SNOWFLAKE_ID_SCHEMA,
    nullable: true,
    description: '`after` of the next page; null on the last page',
  })
  readonly next!: string | null;
}

/** Returns the sum of quantity × price. */
export function totalCents(lines: readonly OrderLine[]): number {
  return lines.reduce((sum, line) => sum + line.quantity * line.unitPriceCents, 0);
}

function lineDto({ id, sku, quantity, unitPriceCents }: OrderLine): OrderLineDto {
  return { id, sku, quantity, unitPrice: centsToDecimal(unitPriceCents) };
}
