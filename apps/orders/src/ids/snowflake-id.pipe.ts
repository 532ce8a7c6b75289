import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { BadRequestException, Injectable } from '@nestjs/common';
import { SnowflakeIdValidator } from './snowflake-id.validator.js';

/** Accepts a valid ID in the path, else responds with 400: `@Param('id', SnowflakeIdPipe) id: string`. */
@Injectable()
export class SnowflakeIdPipe implements PipeTransform<unknown, string> {
  constructor(private readonly validator: SnowflakeIdValidator) {}

  transform(value: unknown, { data = 'id' }: ArgumentMetadata): string {
    if (typeof value === 'string' && this.validator.validate(value)) return value;
    throw new BadRequestException([this.validator.message(data, value)]);
  }
}
