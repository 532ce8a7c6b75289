import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { SNOWFLAKE_ID_SCHEMA } from 'nestjs-snowflake/swagger';
import { IsSnowflakeId } from 'nestjs-snowflake/validation';

export const DEFAULT_PAGE_LENGTH = 20;
export const MAX_PAGE_LENGTH = 100;

/** Selects a page of a list that is sorted by ID, and so by time. */
export class CursorQuery {
  @ApiPropertyOptional({
    ...SNOWFLAKE_ID_SCHEMA,
    description: '`next` of the previous page; omit it for the first page',
  })
  @IsOptional()
  @IsSnowflakeId()
  readonly after?: string;

  @ApiPropertyOptional({
    description: 'Maximum number of items on the page',
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

/** One page of a list, and the cursor of the next page. */
export interface Page<Item> {
  readonly items: Item[];
  /** `after` of the next page; null on the last page. */
  readonly next: string | null;
}

/** Returns a page of rows that were read with a limit of `limit + 1`, to detect whether there is a next page. */
export function pageOf<Row extends { id: string }>(rows: Row[], limit: number): Page<Row> {
  const items = rows.slice(0, limit);
  return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}
