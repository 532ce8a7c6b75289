import { ApiProperty } from '@nestjs/swagger';
import { IsISO8601, Matches } from 'class-validator';
import { ApiSnowflakeId } from 'nestjs-snowflake/swagger';
import { IsSnowflakeId } from 'nestjs-snowflake/validation';

export class CreateInvoiceDto {
  @ApiSnowflakeId()
  @IsSnowflakeId()
  readonly orderId!: string;

  @ApiProperty({ description: 'Date of the invoice', format: 'date', example: '2026-12-31' })
  @Matches(/^[1-9]\d{3}-\d\d-\d\d$/, { message: 'issuedOn must have the form YYYY-MM-DD' })
  @IsISO8601({ strict: true }, { message: 'issuedOn must be a date that exists' })
  readonly issuedOn!: string;
}
