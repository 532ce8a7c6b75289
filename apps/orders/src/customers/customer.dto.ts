import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsEmail, IsNotEmpty, IsString, MaxLength } from 'class-validator';
import { ApiSnowflakeId } from 'nestjs-snowflake/swagger';

export class CreateCustomerDto {
  @ApiProperty({ example: 'Ada Lovelace', maxLength: 100 })
  @IsString()
  @IsNotEmpty()
  @MaxLength(100)
  readonly name!: string;

  @ApiProperty({ example: 'ada@example.com', maxLength: 254, description: 'Unique; stored in lower case' })
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? value.trim().toLowerCase() : value,
  )
  @IsEmail()
  @MaxLength(254)
  readonly email!: string;
}

export class CustomerDto {
  @ApiSnowflakeId()
  readonly id!: string;

  @ApiProperty({ example: 'Ada Lovelace' })
  readonly name!: string;

  @ApiProperty({ example: 'ada@example.com' })
  readonly email!: string;
}
