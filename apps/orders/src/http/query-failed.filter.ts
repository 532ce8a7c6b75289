import { type ArgumentsHost, Catch, type ExceptionFilter, type HttpException, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { QueryFailedError } from 'typeorm';
import { isLockTimeout } from '../database/lock-timeout.js';
import { fault, reply, unavailable } from './answers.js';

/** Responds with 503 to lock timeouts, because a retry can succeed. Responds with 500 to all other query errors. */
@Catch(QueryFailedError)
export class QueryFailedFilter implements ExceptionFilter<QueryFailedError> {
  private readonly logger = new Logger(QueryFailedFilter.name);

  constructor(private readonly host: HttpAdapterHost) {}

  catch(error: QueryFailedError, context: ArgumentsHost): HttpException | undefined {
    const answer = this.answerTo(error);
    if (context.getType<string>() === 'graphql') return answer;
    reply(this.host.httpAdapter, context.switchToHttp().getResponse(), answer);
    return undefined;
  }

  private answerTo(error: QueryFailedError): HttpException {
    if (!isLockTimeout(error)) {
      this.logger.error(error);
      return fault();
    }
    this.logger.warn(`A statement gave up waiting for a lock: ${error.message}`);
    return unavailable('The database is busy. Send the request again.');
  }
}
