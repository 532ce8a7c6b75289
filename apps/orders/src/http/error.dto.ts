import { ApiProperty } from '@nestjs/swagger';

/** Body of every error response. */
export class ErrorDto {
  @ApiProperty({ example: 400 })
  readonly statusCode!: number;

  @ApiProperty({
    description: 'What is wrong and what to do; a list of problems if the request is invalid',
    oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
    example: ['quantity must not be less than 1'],
  })
  readonly message!: string | string[];

  @ApiProperty({ example: 'Bad Request' })
  readonly error!: string;
}
