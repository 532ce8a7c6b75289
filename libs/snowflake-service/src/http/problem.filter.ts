import { type ArgumentsHost, Catch, type ExceptionFilter, Inject, Injectable, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { logFailure } from '../requests/failure-log.js';
import { type Problem, problemOf } from '../requests/problem.js';
import { type IdentifiedRequest, requestIdOf } from '../requests/request-id.js';
import { RequestRefusal } from '../requests/request-refusal.js';
import { MeasuredCalls } from './measured-calls.js';

/** Seconds after which a client may repeat a request that the service can't serve now. */
const RETRY_AFTER_S = 1;

/** Answers every error of the service's routes with problem details. */
@Catch()
@Injectable()
export class ProblemFilter implements ExceptionFilter {
  @Inject(HttpAdapterHost) private readonly host!: HttpAdapterHost;
  @Inject(MeasuredCalls) private readonly calls!: MeasuredCalls;
  private readonly logger = new Logger('SnowflakeService');

  catch(error: unknown, context: ArgumentsHost): void {
    const { httpAdapter } = this.host;
    const http = context.switchToHttp();
    const [request, response] = [http.getRequest<IdentifiedRequest>(), http.getResponse<unknown>()];
    const problem = problemOf(error);
    this.calls.fail(request, problem.code);
    logFailure(this.logger, error, problem, requestIdOf(request));
    if (httpAdapter.isHeadersSent(response)) return void httpAdapter.end(response);
    httpAdapter.setHeader(response, 'Content-Type', 'application/problem+json');
    if (problem.status === 503) httpAdapter.setHeader(response, 'Retry-After', String(RETRY_AFTER_S));
    const challenge = challengeOf(error, problem);
    if (challenge !== undefined) httpAdapter.setHeader(response, 'WWW-Authenticate', challenge);
    httpAdapter.reply(response, problem, problem.status);
  }
}

/** Every 401 needs one, that of the app's `authorize` too. */
function challengeOf(error: unknown, { status }: Problem): string | undefined {
  if (error instanceof RequestRefusal) return error.challenge;
  return status === 401 ? 'Bearer' : undefined;
}
