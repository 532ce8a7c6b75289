import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { SnowflakeError, StoppedError } from 'nestjs-snowflake';
import { answerFault, answerUnavailable } from './answers.js';

/** Answers 503 when no ID can be made right now; any other error of the ID maker is a fault of ours, 500. */
@Catch(SnowflakeError)
export class SnowflakeErrorFilter implements ExceptionFilter<SnowflakeError> {
  private readonly logger = new Logger(SnowflakeErrorFilter.name);

  constructor(private readonly host: HttpAdapterHost) {}

  catch(error: SnowflakeError, context: ArgumentsHost): void {
    const { httpAdapter } = this.host;
    const response: unknown = context.switchToHttp().getResponse();
    if (error.retryable) return answerUnavailable(httpAdapter, response, error.message);
    // Not in this process any more, but in the next one.
    if (error instanceof StoppedError)
      return answerUnavailable(httpAdapter, response, 'The server is stopping. Send the request again.');
    this.logger.error(error);
    answerFault(httpAdapter, response);
  }
}
