import { type ArgumentsHost, Catch, type ExceptionFilter, Inject, Injectable, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { logFailure } from '../requests/failure-log.js';
import { problemOf } from '../requests/problem.js';
import { type IdentifiedRequest, requestIdOf } from '../requests/request-id.js';
import { RequestRefusal } from '../requests/request-refusal.js';
import { MeasuredCalls } from './measured-calls.js';

/** Seconds after which a client may repeat a request that the service can't serve now. */
const RETRY_AFTER_S = 1;
const CHALLENGE = 'WWW-Authenticate';

/**
 * Answers errors with problem details of RFC 9457. The routes of the service have this filter. For the rest of an app, such as unknown
 * routes and bodies that are not JSON, which Nest refuses before it looks for a route, use it globally.
 *
 * @example
 * ```ts
 * app.useGlobalFilters(app.get(SnowflakeProblemFilter));
 * ```
 */
@Catch()
@Injectable()
export class SnowflakeProblemFilter implements ExceptionFilter {
  @Inject(HttpAdapterHost) private readonly host!: HttpAdapterHost;
  @Inject(MeasuredCalls) private readonly calls!: MeasuredCalls;
  private readonly logger = new Logger('SnowflakeService');

  /** Answers an error, and logs it if an operator has to act. */
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
    const { headers } = error instanceof RequestRefusal ? error : { headers: {} };
    for (const [name, value] of Object.entries<string>(headers)) httpAdapter.setHeader(response, name, value);
    // Every 401 needs a challenge, that of the app's `authorize` too.
    if (problem.status === 401 && !httpAdapter.getHeader(response, CHALLENGE))
      httpAdapter.setHeader(response, CHALLENGE, 'Bearer');
    httpAdapter.reply(response, problem, problem.status);
  }
}
