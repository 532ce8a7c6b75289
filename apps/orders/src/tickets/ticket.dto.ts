import { ApiProperty } from '@nestjs/swagger';
import { IsNotEmpty, IsString, MaxLength } from 'class-validator';
import { ApiSnowflakeId } from 'nestjs-snowflake/swagger';
import { IsSnowflakeId } from 'nestjs-snowflake/validation';
import type { Ticket } from './ticket.entity.js';

export class CreateTicketDto {
  @ApiSnowflakeId()
  @IsSnowflakeId()
  readonly customerId!: string;

  @ApiProperty({ example: 'The lamp arrived without a plug', maxLength: 200 })
  @IsString()
  @IsNotEmpty()
  @MaxLength(200)
  readonly subject!: string;
}

export class TicketDto {
  @ApiProperty({ type: 'integer', description: 'Fits into a JavaScript number', example: 4711 })
  readonly number!: number;

  @ApiSnowflakeId()
  readonly customerId!: string;

  @ApiProperty({ example: 'The lamp arrived without a plug' })
  readonly subject!: string;

  static of({ number, customerId, subject }: Ticket): TicketDto {
    return { number: Number(number), customerId, subject };
  }
}
