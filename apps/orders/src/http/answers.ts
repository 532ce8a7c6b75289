import {
  type HttpException,
  InternalServerErrorException,
  ServiceUnavailableException,
} from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';

const RETRY_AFTER_SECONDS = 2;

/** Answers 503 and says when to try again. */
export function answerUnavailable(
  httpAdapter: AbstractHttpAdapter,
  response: unknown,
  message: string,
): void {
  httpAdapter.setHeader(response, 'Retry-After', String(RETRY_AFTER_SECONDS));
  answer(httpAdapter, response, new ServiceUnavailableException(message));
}

/** Answers 500 without a word of the cause, which is for the log. */
export function answerFault(httpAdapter: AbstractHttpAdapter, response: unknown): void {
  answer(httpAdapter, response, new InternalServerErrorException('Internal server error'));
}

function answer(httpAdapter: AbstractHttpAdapter, response: unknown, exception: HttpException): void {
  httpAdapter.reply(response, exception.getResponse(), exception.getStatus());
}
