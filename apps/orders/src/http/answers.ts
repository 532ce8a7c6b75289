import {
  type HttpException,
  HttpStatus,
  InternalServerErrorException,
  ServiceUnavailableException,
} from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';

const RETRY_AFTER_SECONDS = 2;

/** The request can succeed if it is sent again. */
export function unavailable(message: string): HttpException {
  return new ServiceUnavailableException(message);
}

/** Leaves out the cause, which only the log shows. */
export function fault(): HttpException {
  return new InternalServerErrorException('Internal server error');
}

/** Responds with this exception, and with a Retry-After header if it is of the kind that passes. */
export function reply(httpAdapter: AbstractHttpAdapter, response: unknown, exception: HttpException): void {
  const status = exception.getStatus();
  if (status === HttpStatus.SERVICE_UNAVAILABLE) {
    httpAdapter.setHeader(response, 'Retry-After', String(RETRY_AFTER_SECONDS));
  }
  httpAdapter.reply(response, exception.getResponse(), status);
}
