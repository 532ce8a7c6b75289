import type { ArgumentsHost, ExceptionFilter } from '@nestjs/common';
import { Catch, InternalServerErrorException, Logger, ServiceUnavailableException } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { SnowflakeError } from 'nestjs-snowflake';

const RETRY_AFTER_SECONDS = 2;

/** Answers 503 when no ID can be made right now; any other error of the ID maker is a fault of ours, 500. */
@Catch(SnowflakeError)
export class SnowflakeErrorFilter implements ExceptionFilter<SnowflakeError> {
  private readonly logger = new Logger(SnowflakeErrorFilter.name);

  constructor(private readonly host: HttpAdapterHost) {}

  catch(error: SnowflakeError, context: ArgumentsHost): void {
    const { httpAdapter } = this.host;
    const response: unknown = context.switchToHttp().getResponse();
    if (error.retryable) httpAdapter.setHeader(response, 'Retry-After', String(RETRY_AFTER_SECONDS));
    else this.logger.error(error);
    const answer = error.retryable
      ? new ServiceUnavailableException(error.message)
      : new InternalServerErrorException();
    httpAdapter.reply(response, answer.getResponse(), answer.getStatus());
  }
}
