import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { systemClock } from 'nestjs-snowflake/core';
import { CallMeter } from 'nestjs-snowflake/kit';
import { finalize, type Observable, tap } from 'rxjs';
import { grpcCallOf } from './grpc-call.js';

interface OpenCall {
  readonly operation: string;
  readonly startedMs: number;
}

/** The client has ended the call before it got the whole response. */
const CLIENT_CLOSED = 'CLIENT_CLOSED';

/** Measures calls from their start until they have ended, if the app reports metrics. */
@Injectable()
export class MeasuredGrpcCalls implements NestInterceptor {
  @Inject(CallMeter) private readonly meter!: CallMeter;
  private readonly open = new WeakMap<object, OpenCall>();

  begin(operation: string, call: object): void {
    if (this.meter.isObserved) this.open.set(call, { operation, startedMs: systemClock.now() });
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const call = grpcCallOf(context);
    return next.handle().pipe(
      tap({ complete: () => this.end(call, undefined) }),
      // Runs in any case, but last: whoever ended the call otherwise has noted it.
      finalize(() => this.end(call, CLIENT_CLOSED)),
    );
  }

  /** A guard of the app can refuse a call that has not begun. */
  fail(call: object, code: string): void {
    if (this.open.has(call)) this.end(call, code);
    else this.meter.record({ operation: undefined, code, durationMs: undefined });
  }

  private end(call: object, code: string | undefined): void {
    const known = this.open.get(call);
    if (!known) return;
    this.open.delete(call);
    const { operation, startedMs } = known;
    this.meter.record({ operation, code, durationMs: Math.max(0, systemClock.now() - startedMs) });
  }
}
