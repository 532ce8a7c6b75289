import { ApiProperty } from '@nestjs/swagger';

/** Every answer that is not a success. */
export class ErrorDto {
  @ApiProperty({ example: 400 })
  readonly statusCode!: number;

  @ApiProperty({
    description: 'What is wrong and what to do; one sentence per problem when the request itself is wrong',
    oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
    example: ['quantity must not be less than 1'],
  })
  readonly message!: string | string[];

  @ApiProperty({ example: 'Bad Request' })
  readonly error!: string;
}
