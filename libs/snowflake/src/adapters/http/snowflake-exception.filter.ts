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
import { SnowflakeError } from '../../core/errors/snowflake-error.js';
import { StoppedError } from '../../core/errors/issuing-errors.js';

/** Seconds after which a client may retry. */
const RETRY_AFTER_S = 1;

/** The `extensions.code` for GraphQL clients, by HTTP status. */
const GRAPHQL_CODES: Readonly<Record<number, string>> = {
  400: 'BAD_USER_INPUT',
  500: 'INTERNAL_SERVER_ERROR',
  503: 'SERVICE_UNAVAILABLE',
};

interface ExceptionBody {
  readonly message: string;
  readonly code: string;
}

/**
 * Responds to errors of the library:
 *
 * - 503 with `Retry-After` if the same call may succeed later, or while the process stops
 * - 400 for a value that is not an ID, or not a date, where a client can have sent it
 * - 500 for everything else, with a line in the log
 *
 * Clients get the error's `code` and a message without internals. The filter works for HTTP (Express and Fastify), GraphQL (Apollo
 * and Mercurius), microservices and WebSockets. GraphQL clients get `SERVICE_UNAVAILABLE`, `BAD_USER_INPUT` or
 * `INTERNAL_SERVER_ERROR` as `extensions.code`, and the error's code as `extensions.snowflakeCode`.
 *
 * @example
 * ```ts
 * const snowflakeFilter: Provider = { provide: APP_FILTER, useClass: SnowflakeExceptionFilter }; // in `providers` of the app
 * ```
 */
@Catch(SnowflakeError)
export class SnowflakeExceptionFilter implements ExceptionFilter<SnowflakeError> {
  readonly #logger = new Logger(SnowflakeExceptionFilter.name);
  readonly #host: HttpAdapterHost | undefined;

  constructor(@Optional() @Inject(HttpAdapterHost) host?: HttpAdapterHost) {
    this.#host = host;
  }

  /** Responds to the error, or returns what Nest expects in this kind of context. */
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
      case 'graphql':
        return new GraphqlException(exception);
      default:
        return exception;
    }
  }

  #respond(exception: HttpException, context: ArgumentsHost): void {
    const adapter = this.#host?.httpAdapter;
    // Without an HTTP server, there is no response to send.
    if (!adapter) throw exception;
    const response: unknown = context.switchToHttp().getResponse();
    if (adapter.isHeadersSent(response)) return adapter.end(response);
    if (exception.getStatus() === 503) adapter.setHeader(response, 'Retry-After', String(RETRY_AFTER_S));
    adapter.reply(response, exception.getResponse(), exception.getStatus());
  }
}

function exceptionFor(error: SnowflakeError): HttpException {
  const { code, clientFault } = error;
  const options = { cause: error };
  if (clientFault !== undefined) {
    const body = { statusCode: 400, error: 'Bad Request', message: clientFault, code };
    return new BadRequestException(body, options);
  }
  // While this process stops, another one can serve the same request.
  if (error.retryable || error instanceof StoppedError) {
    const message = "The server can't do this right now. Send the request again.";
    return new ServiceUnavailableException(
      { statusCode: 503, error: 'Service Unavailable', message, code },
      options,
    );
  }
  const message = 'Internal server error';
  return new InternalServerErrorException({ statusCode: 500, error: message, message, code }, options);
}

function bodyOf(exception: HttpException): ExceptionBody {
  return exception.getResponse() as ExceptionBody;
}

/**
 * GraphQL servers answer with the `extensions` of a returned error. Nest's driver for Apollo replaces the code in them if the
 * body has a `statusCode`, so this body has none.
 */
class GraphqlException extends HttpException {
  readonly extensions: { readonly code: string | undefined; readonly snowflakeCode: string };

  constructor(exception: HttpException) {
    const { message, code } = bodyOf(exception);
    const status = exception.getStatus();
    super({ message, code }, status, { cause: exception.cause });
    this.extensions = { code: GRAPHQL_CODES[status], snowflakeCode: code };
  }
}

function sendToSocket(exception: HttpException, context: ArgumentsHost): void {
  const client = context.switchToWs().getClient<{ emit?: (event: string, body: object) => void }>();
  client.emit?.('exception', { status: 'error', ...bodyOf(exception) });
}
