import {
  type ArgumentsHost,
  BadRequestException,
  Catch,
  type ExceptionFilter,
  HttpException,
  Inject,
  InternalServerErrorException,
  Logger,
  Optional,
  ServiceUnavailableException,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { throwError } from 'rxjs';
import { InvalidIdError, SnowflakeError, StoppedError } from '../core/index.js';

/** Seconds after which a client may try again. Most outages of a store that clients notice last longer than that. */
const RETRY_AFTER_S = 1;

/**
 * Responds to errors of the library:
 *
 * - 503 with `Retry-After` if the same call may succeed later, also while the process stops
 * - 400 for a value that is not an ID
 * - 500 for everything else, with a line in the log
 *
 * Clients get the error's `code` and a message without internals. Works for HTTP (Express and Fastify), GraphQL,
 * microservices and WebSockets.
 *
 * ```ts
 * app.useGlobalFilters(app.get(SnowflakeExceptionFilter)) // or { provide: APP_FILTER, useClass: SnowflakeExceptionFilter }
 * ```
 */
@Catch(SnowflakeError)
export class SnowflakeExceptionFilter implements ExceptionFilter<SnowflakeError> {
  readonly #logger = new Logger(SnowflakeExceptionFilter.name);
  readonly #host: HttpAdapterHost | undefined;

  constructor(@Optional() @Inject(HttpAdapterHost) host?: HttpAdapterHost) {
    this.#host = host;
  }

  /** Returns what Nest expects in the given kind of context. */
  catch(error: SnowflakeError, context: ArgumentsHost): unknown {
    const exception = exceptionFor(error);
    if (exception.getStatus() === 500) this.#logger.error(error);
    switch (context.getType<string>()) {
      case 'http':
        return this.#respond(exception, context);
      case 'rpc':
        return throwError(() => ({ status: 'error', ...bodyOf(exception) }));
      case 'ws':
        return sendToSocket(exception, context);
      default:
        // GraphQL drivers turn a returned exception into an error of the answer.
        return exception;
    }
  }

  #respond(exception: HttpException, context: ArgumentsHost): void {
    const adapter = this.#host?.httpAdapter;
    // Without an HTTP server there is nobody to answer.
    if (!adapter) throw exception;
    const response: unknown = context.switchToHttp().getResponse();
    if (adapter.isHeadersSent(response)) return adapter.end(response);
    if (exception.getStatus() === 503) adapter.setHeader(response, 'Retry-After', String(RETRY_AFTER_S));
    adapter.reply(response, exception.getResponse(), exception.getStatus());
  }
}

function exceptionFor(error: SnowflakeError): HttpException {
  const { code } = error;
  const options = { cause: error };
  if (error instanceof InvalidIdError) {
    const message = `Not a valid ID: it ${error.problem}. Send the ID as the API returned it.`;
    return new BadRequestException({ statusCode: 400, error: 'Bad Request', message, code }, options);
  }
  // Another process can answer what this one, which stops, can't.
  if (error.retryable || error instanceof StoppedError) {
    const message = "The server can't make IDs right now. Send the request again.";
    return new ServiceUnavailableException(
      { statusCode: 503, error: 'Service Unavailable', message, code },
      options,
    );
  }
  const message = 'Internal server error';
  return new InternalServerErrorException({ statusCode: 500, error: message, message, code }, options);
}

function bodyOf(exception: HttpException): object {
  return exception.getResponse() as object;
}

function sendToSocket(exception: HttpException, context: ArgumentsHost): void {
  const client = context.switchToWs().getClient<{ emit?: (event: string, body: object) => void }>();
  client.emit?.('exception', { status: 'error', ...bodyOf(exception) });
}
