import { ApiProperty } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  IsArray,
  IsInt,
  IsString,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { ApiSnowflakeId } from 'nestjs-snowflake/swagger';
import { IsSnowflakeId } from 'nestjs-snowflake/validation';
import { DECIMAL_AMOUNT } from './money.js';

const MAX_LINES = 100;
const MAX_QUANTITY = 10_000;

export class CreateOrderLineDto {
  @ApiProperty({
    description: 'Stock keeping unit; an unknown one creates a new product',
    pattern: '^[\\w.-]{1,40}$',
    example: 'BOOK-1',
  })
  @IsString()
  @Matches(/^[\w.-]{1,40}$/, { message: 'sku must be 1 to 40 letters, digits, dots, dashes or underscores' })
  readonly sku!: string;

  @ApiProperty({ minimum: 1, maximum: MAX_QUANTITY, example: 2 })
  @IsInt()
  @Min(1)
  @Max(MAX_QUANTITY)
  readonly quantity!: number;

  @ApiProperty({
    description: 'Price per unit, as a decimal string; a JSON number is read by its decimal digits',
    oneOf: [{ type: 'string', pattern: DECIMAL_AMOUNT.source }, { type: 'number' }],
    example: '19.90',
  })
  @Transform(({ value }: { value: unknown }) => (typeof value === 'number' ? String(value) : value))
  @Matches(DECIMAL_AMOUNT, {
    message:
      'unitPrice must be an amount from 0 to 9999999.99 with at most two decimals, for example "19.90"',
  })
  readonly unitPrice!: string;
}

export class CreateOrderDto {
  @ApiSnowflakeId()
  @IsSnowflakeId()
  readonly customerId!: string;

  @ApiProperty({ type: [CreateOrderLineDto], minItems: 1, maxItems: MAX_LINES })
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(MAX_LINES)
  @ValidateNested({ each: true })
  @Type(() => CreateOrderLineDto)
  readonly lines!: CreateOrderLineDto[];
}
