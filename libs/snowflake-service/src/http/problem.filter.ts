import { type ArgumentsHost, Catch, type ExceptionFilter, Inject, Injectable, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { safeCopy } from 'nestjs-snowflake/kit';
import { LogLine } from 'nestjs-snowflake/kit-nest';
import { inspect } from 'node:util';
import { MeasuredCalls } from './measured-calls.js';
import { type Problem, problemOf } from './problem.js';
import { type IdentifiedRequest, requestIdOf } from './request-id.js';

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
    // What an operator has to change. What passes by itself is in the response.
    if (problem.status === 500 || problem.status === 502) this.log(error, problem, request);
    if (httpAdapter.isHeadersSent(response)) return void httpAdapter.end(response);
    httpAdapter.setHeader(response, 'Content-Type', 'application/problem+json');
    if (problem.status === 503) httpAdapter.setHeader(response, 'Retry-After', String(RETRY_AFTER_S));
    if (problem.status === 401) httpAdapter.setHeader(response, 'WWW-Authenticate', 'Bearer');
    httpAdapter.reply(response, problem, problem.status);
  }

  private log(error: unknown, { status, code }: Problem, request: IdentifiedRequest): void {
    const requestId = requestIdOf(request);
    const named = requestId === undefined ? 'A request' : `Request ${requestId}`;
    const text = `${named} failed with status ${status}: ${inspect(safeCopy(error))}`;
    this.logger.error(new LogLine(text, { requestId, code }));
  }
}
