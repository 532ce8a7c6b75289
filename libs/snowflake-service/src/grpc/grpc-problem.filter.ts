import { Catch, type ExceptionFilter, HttpException, Injectable, Logger } from '@nestjs/common';
import { RpcException } from '@nestjs/microservices';
import { type Observable, throwError } from 'rxjs';
import { problemOf } from '../requests/problem.js';
import { grpcStatusOf } from './grpc-status.js';

/** Ends a call of the service that fails with a status of gRPC. */
@Catch()
@Injectable()
export class GrpcProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('SnowflakeService');

  catch(error: unknown): Observable<never> {
    // What a guard, a pipe or an interceptor of the app throws.
    const problem = problemOf(error instanceof RpcException ? new HttpException(error.message, 403) : error);
    // What an operator has to change. What passes by itself is in the status.
    if (problem.status === 500 || problem.status === 502) this.logger.error(error);
    return throwError(() => grpcStatusOf(problem));
  }
}
