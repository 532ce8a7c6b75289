import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { QueryFailedError } from 'typeorm';
import { isLockTimeout } from '../database/lock-timeout.js';
import { answerFault, answerUnavailable } from './answers.js';

/** Responds with 503 to lock timeouts, because a retry can succeed. Responds with 500 to all other query errors. */
@Catch(QueryFailedError)
export class QueryFailedFilter implements ExceptionFilter<QueryFailedError> {
  private readonly logger = new Logger(QueryFailedFilter.name);

  constructor(private readonly host: HttpAdapterHost) {}

  catch(error: QueryFailedError, context: ArgumentsHost): void {
    const { httpAdapter } = this.host;
    const response: unknown = context.switchToHttp().getResponse();
    if (!isLockTimeout(error)) {
      this.logger.error(error);
      return answerFault(httpAdapter, response);
    }
    this.logger.warn(`A statement gave up waiting for a lock: ${error.message}`);
    answerUnavailable(httpAdapter, response, 'The database is busy. Send the request again.');
  }
}
