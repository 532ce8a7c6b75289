import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { IsSnowflakeId, SNOWFLAKE_ID_SCHEMA } from '../ids/snowflake-id.validator.js';

export const DEFAULT_PAGE_LENGTH = 20;
export const MAX_PAGE_LENGTH = 100;

/** Which page of a list that is in order of ID, and so in order of time. */
export class CursorQuery {
  @ApiPropertyOptional({
    ...SNOWFLAKE_ID_SCHEMA,
    description: '`next` of the page before; leave it out for the first',
  })
  @IsOptional()
  @IsSnowflakeId()
  readonly after?: string;

  @ApiPropertyOptional({
    description: 'Most items on a page',
    minimum: 1,
    maximum: MAX_PAGE_LENGTH,
    default: DEFAULT_PAGE_LENGTH,
  })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(MAX_PAGE_LENGTH)
  readonly limit: number = DEFAULT_PAGE_LENGTH;
}

/** One page of a list, and the cursor of the page after it. */
export interface Page<Item> {
  readonly items: Item[];
  /** The `after` of the next page; null on the last one. */
  readonly next: string | null;
}

/** Makes a page of rows that were read with one more than `limit`. */
export function pageOf<Row extends { id: string }>(rows: Row[], limit: number): Page<Row> {
  const items = rows.slice(0, limit);
  return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}
