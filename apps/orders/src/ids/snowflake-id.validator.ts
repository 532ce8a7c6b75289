import { applyDecorators, Injectable } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import type { ValidationArguments, ValidatorConstraintInterface } from 'class-validator';
import { Validate, ValidatorConstraint } from 'class-validator';
import { InvalidIdError, SnowflakeIdMaker } from 'nestjs-snowflake';

/** The schema of an ID in the API description. */
export const SNOWFLAKE_ID_SCHEMA = {
  type: 'string',
  pattern: '^\\d{1,19}$',
  example: '297318620053504000',
} as const;

/** Validates IDs from clients and explains what is wrong with them. */
@Injectable()
@ValidatorConstraint({ name: 'isSnowflakeId' })
export class SnowflakeIdValidator implements ValidatorConstraintInterface {
  constructor(private readonly ids: SnowflakeIdMaker) {}

  validate(value: unknown): boolean {
    return this.problemOf(value) === undefined;
  }

  defaultMessage({ property, value }: ValidationArguments): string {
    return this.message(property, value);
  }

  /** Returns a message for the client about `value`, which must be invalid. */
  message(name: string, value: unknown): string {
    return (
      `${name} is not a valid ID: it ${this.problemOf(value)}. Send the ID as the API returned it: ` +
      'a string of 1 to 19 digits, at most 9223372036854775807.'
    );
  }

  private problemOf(value: unknown): string | undefined {
    if (value === undefined) return 'is missing';
    if (typeof value === 'number') return "is a JSON number, which can't hold 64 bits exactly";
    if (typeof value !== 'string') return 'is not a string';
    try {
      this.ids.decode(value);
      return undefined;
    } catch (error) {
      if (error instanceof InvalidIdError) return error.problem;
      throw error;
    }
  }
}

/** Validates and documents a request property that holds an ID. */
export const IsSnowflakeId = (): PropertyDecorator => applyDecorators(Validate(SnowflakeIdValidator));

/** Documents a property that holds an ID, without validating it. */
export const ApiSnowflakeId = (options: ApiPropertyOptions = {}): PropertyDecorator =>
  ApiProperty({ ...SNOWFLAKE_ID_SCHEMA, ...options } as ApiPropertyOptions);
