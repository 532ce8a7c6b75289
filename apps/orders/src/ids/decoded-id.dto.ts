import { ApiProperty } from '@nestjs/swagger';
import { ApiSnowflakeId } from 'nestjs-snowflake/swagger';

/** The fields of an ID. */
export class DecodedIdDto {
  @ApiSnowflakeId()
  readonly id!: string;

  @ApiProperty({ description: 'When the ID was made', example: '2026-03-31T10:45:10.123Z' })
  readonly timestamp!: Date;

  @ApiProperty({ description: '`timestamp` as Unix time in milliseconds', example: 1774953910123 })
  readonly timestampMs!: number;

  @ApiProperty({ description: 'The worker ID that made it', minimum: 0, maximum: 1023, example: 17 })
  readonly workerId!: number;

  @ApiProperty({
    description: 'Sequence number within the millisecond',
    minimum: 0,
    maximum: 4095,
    example: 0,
  })
  readonly sequence!: number;
}
