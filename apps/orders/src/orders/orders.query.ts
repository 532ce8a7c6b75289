import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsDate, IsOptional, isISO8601, isRFC3339 } from 'class-validator';
import { CursorQuery } from '../http/cursor.dto.js';

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The two ISO 8601 forms that don't depend on the time zone: a date (UTC), or a time with `Z` or an offset. */
function toInstant({ value }: { value: unknown }): unknown {
  if (typeof value !== 'string' || !isISO8601(value, { strict: true })) return value;
  return DAY.test(value) || isRFC3339(value) ? new Date(value) : value;
}

const message = '$property must be an ISO 8601 time with Z or an offset, for example 2026-03-31T12:00:00Z';

export class OrdersQuery extends CursorQuery {
  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'Only orders made at or after this time',
  })
  @IsOptional()
  @Transform(toInstant)
  @IsDate({ message })
  readonly from?: Date;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'Only orders made at or before this time',
  })
  @IsOptional()
  @Transform(toInstant)
  @IsDate({ message })
  readonly to?: Date;
}
