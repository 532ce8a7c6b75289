import {
  type HttpException,
  InternalServerErrorException,
  ServiceUnavailableException,
} from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';

const RETRY_AFTER_SECONDS = 2;

/** Responds with 503 and a Retry-After header. */
export function answerUnavailable(
  httpAdapter: AbstractHttpAdapter,
  response: unknown,
  message: string,
): void {
  httpAdapter.setHeader(response, 'Retry-After', String(RETRY_AFTER_SECONDS));
  answer(httpAdapter, response, new ServiceUnavailableException(message));
}

/** Responds with 500 without the cause, which only the log shows. */
export function answerFault(httpAdapter: AbstractHttpAdapter, response: unknown): void {
  answer(httpAdapter, response, new InternalServerErrorException('Internal server error'));
}

function answer(httpAdapter: AbstractHttpAdapter, response: unknown, exception: HttpException): void {
  httpAdapter.reply(response, exception.getResponse(), exception.getStatus());
}
