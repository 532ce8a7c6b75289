import { type ArgumentsHost, Catch, type ExceptionFilter, Inject, Injectable, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { problemOf } from '../requests/problem.js';

/** Seconds after which a client may repeat a request that the service can't serve now. */
const RETRY_AFTER_S = 1;

/** Answers every error of the service's routes with problem details. */
@Catch()
@Injectable()
export class ProblemFilter implements ExceptionFilter {
  @Inject(HttpAdapterHost) private readonly host!: HttpAdapterHost;
  private readonly logger = new Logger('SnowflakeService');

  catch(error: unknown, context: ArgumentsHost): void {
    const { httpAdapter } = this.host;
    const response: unknown = context.switchToHttp().getResponse();
    const problem = problemOf(error);
    // What an operator has to change. What passes by itself is in the response.
    if (problem.status === 500 || problem.status === 502) this.logger.error(error);
    if (httpAdapter.isHeadersSent(response)) return void httpAdapter.end(response);
    httpAdapter.setHeader(response, 'Content-Type', 'application/problem+json');
    if (problem.status === 503) httpAdapter.setHeader(response, 'Retry-After', String(RETRY_AFTER_S));
    if (problem.status === 401) httpAdapter.setHeader(response, 'WWW-Authenticate', 'Bearer');
    httpAdapter.reply(response, problem, problem.status);
  }
}
