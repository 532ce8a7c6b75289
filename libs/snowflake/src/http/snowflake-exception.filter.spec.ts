import { HttpException } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { lastValueFrom, type Observable } from 'rxjs';
import { InvalidIdError } from '../core/errors/input-errors.js';
import { LeaseExhaustedError } from '../core/errors/issuing-errors.js';
import { SnowflakeExceptionFilter } from './snowflake-exception.filter.js';

const filter = new SnowflakeExceptionFilter();
const UNAVAILABLE = {
  statusCode: 503,
  error: 'Service Unavailable',
  message: "The server can't do this right now. Send the request again.",
  code: 'SNOWFLAKE_LEASE_EXHAUSTED',
};

function contextOf(type: string, ...args: unknown[]): ExecutionContextHost {
  const context = new ExecutionContextHost(args);
  context.setType(type);
  return context;
}

describe('the exception filter beside HTTP', () => {
  const error = new LeaseExhaustedError(7, new Date());

  it('returns an exception to GraphQL, whose driver makes an error of it', () => {
    const returned = filter.catch(error, contextOf('graphql')) as HttpException;
    expect(returned).toBeInstanceOf(HttpException);
    expect(returned).toMatchObject({
      message: UNAVAILABLE.message,
      cause: error,
      extensions: { code: 'SERVICE_UNAVAILABLE', snowflakeCode: UNAVAILABLE.code },
    });
    expect(returned.getStatus()).toBe(503);
  });

  it('returns an observable that fails to a microservice', async () => {
    const returned = filter.catch(error, contextOf('rpc')) as Observable<never>;
    await expect(lastValueFrom(returned)).rejects.toEqual({ status: 'error', ...UNAVAILABLE });
  });

  it('emits an exception to the client of a WebSocket', () => {
    const emitted: unknown[] = [];
    const client = { emit: (...sent: unknown[]) => emitted.push(sent) };
    filter.catch(new InvalidIdError('x', 'is too short'), contextOf('ws', client));
    expect(emitted).toEqual([
      [
        'exception',
        expect.objectContaining({ status: 'error', statusCode: 400, code: 'SNOWFLAKE_INVALID_ID' }),
      ],
    ]);
  });

  it('throws the exception where there is no HTTP server', () => {
    expect(() => filter.catch(error, contextOf('http', {}, {}))).toThrow(HttpException);
  });
});
