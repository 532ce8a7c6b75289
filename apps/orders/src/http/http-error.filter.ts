import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  HttpStatus,
  Inject,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { STATUS_CODES } from 'node:http';
import { HTTP_CONFIG, type HttpConfig } from '../../../shared/src/environment/server-environment.js';
import type { ErrorDto } from './error.dto.js';

/** Converts errors of Express, its body parser and the rate limit to the common error format. */
@Catch(HttpException)
export class HttpErrorFilter implements ExceptionFilter<HttpException> {
  constructor(
    private readonly host: HttpAdapterHost,
    @Inject(HTTP_CONFIG) private readonly config: HttpConfig,
  ) {}

  /** GraphQL has a format of its own, and makes it from the exception. */
  catch(exception: HttpException, context: ArgumentsHost): HttpException | undefined {
    if (context.getType<string>() === 'graphql') return exception;
    const given = exception.getResponse();
    const answer = typeof given === 'string' ? this.described(exception, given) : given;
    this.host.httpAdapter.reply(context.switchToHttp().getResponse<unknown>(), answer, exception.getStatus());
    return undefined;
  }

  private described(exception: HttpException, message: string): ErrorDto {
    const statusCode = exception.getStatus();
    const error = STATUS_CODES[statusCode] ?? exception.name;
    if (statusCode !== HttpStatus.PAYLOAD_TOO_LARGE) return { statusCode, message, error };
    const { bodyLimitBytes } = this.config;
    return { statusCode, message: `The request body is larger than ${bodyLimitBytes} bytes`, error };
  }
}
