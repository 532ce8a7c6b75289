import { ApiProperty } from '@nestjs/swagger';
import { ApiSnowflakeId } from 'nestjs-snowflake/swagger';
import { centsToDecimal } from '../orders/money.js';
import { totalCents } from '../orders/order.dto.js';
import type { Invoice } from './invoice.entity.js';

export class InvoiceDto {
  @ApiSnowflakeId()
  readonly id!: string;

  @ApiProperty({ description: 'Without gaps within a year', example: 'INV-2026-00042' })
  readonly number!: string;

  @ApiSnowflakeId()
  readonly orderId!: string;

  @ApiProperty({ format: 'date', example: '2026-12-31' })
  readonly issuedOn!: string;

  @ApiProperty({ description: 'Total of the order', example: '39.80' })
  readonly total!: string;

  static of({ id, number, orderId, issuedOn, order }: Invoice): InvoiceDto {
    return { id, number, orderId, issuedOn, total: centsToDecimal(totalCents(order.lines)) };
  }
}
