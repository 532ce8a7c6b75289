import { ApiProperty } from '@nestjs/swagger';
import { IsISO8601, Matches } from 'class-validator';
import { ApiSnowflakeId } from 'nestjs-snowflake/swagger';
import { IsSnowflakeId } from 'nestjs-snowflake/validation';

const message = 'issuedOn must be a date, for example 2026-12-31';

export class CreateInvoiceDto {
  @ApiSnowflakeId()
  @IsSnowflakeId()
  readonly orderId!: string;

  @ApiProperty({ description: 'Date of the invoice', format: 'date', example: '2026-12-31' })
  @Matches(/^[1-9]\d{3}-\d\d-\d\d$/, { message })
  @IsISO8601({ strict: true }, { message })
  readonly issuedOn!: string;
}
