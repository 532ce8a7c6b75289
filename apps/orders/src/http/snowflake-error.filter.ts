import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { SnowflakeError, StoppedError } from 'nestjs-snowflake';
import { answerFault, answerUnavailable } from './answers.js';

/** Responds with 503 to retryable errors of the ID maker, and with 500 to all others. */
@Catch(SnowflakeError)
export class SnowflakeErrorFilter implements ExceptionFilter<SnowflakeError> {
  private readonly logger = new Logger(SnowflakeErrorFilter.name);

  constructor(private readonly host: HttpAdapterHost) {}

  catch(error: SnowflakeError, context: ArgumentsHost): void {
    const { httpAdapter } = this.host;
    const response: unknown = context.switchToHttp().getResponse();
    if (error.retryable) return answerUnavailable(httpAdapter, response, error.message);
    // Not retryable in this process, but the next one can answer.
    if (error instanceof StoppedError)
      return answerUnavailable(httpAdapter, response, 'The server is stopping. Send the request again.');
    this.logger.error(error);
    answerFault(httpAdapter, response);
  }
}
