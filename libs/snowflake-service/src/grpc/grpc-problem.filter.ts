import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  Inject,
  Injectable,
  Logger,
} from '@nestjs/common';
import { RpcException } from '@nestjs/microservices';
import { type Observable, throwError } from 'rxjs';
import { logFailure } from '../requests/failure-log.js';
import { problemOf } from '../requests/problem.js';
import { requestIdOf } from '../requests/request-id.js';
import { grpcCallOf } from './grpc-call.js';
import { grpcStatusOf } from './grpc-status.js';
import { MeasuredGrpcCalls } from './measured-grpc-calls.js';

/** Ends a call of the service that fails with a status of gRPC. */
@Catch()
@Injectable()
export class GrpcProblemFilter implements ExceptionFilter {
  @Inject(MeasuredGrpcCalls) private readonly calls!: MeasuredGrpcCalls;
  private readonly logger = new Logger('SnowflakeService');

  catch(error: unknown, context: ArgumentsHost): Observable<never> {
    const call = grpcCallOf(context);
    // What a guard, a pipe or an interceptor of the app throws.
    const problem = problemOf(error instanceof RpcException ? new HttpException(error.message, 403) : error);
    this.calls.fail(call, problem.code);
    logFailure(this.logger, error, problem, requestIdOf({ headers: headersOf(call.metadata.getMap()) }));
    return throwError(() => grpcStatusOf(problem));
  }
}

/** Binary metadata name no request. */
function headersOf(metadata: Readonly<Record<string, string | Buffer>>): Record<string, string> {
  const texts = Object.entries(metadata).filter((entry): entry is [string, string] => {
    const [, value] = entry;
    return typeof value === 'string';
  });
  return Object.fromEntries(texts);
}
