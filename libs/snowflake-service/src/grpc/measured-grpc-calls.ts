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
export class MeasuredGrpcCalls {
  @Inject(CallMeter) private readonly meter!: CallMeter;
  private readonly open = new WeakMap<object, OpenCall>();

  begin(operation: string, call: object): void {
    if (this.meter.isObserved) this.open.set(call, { operation, startedMs: systemClock.now() });
  }

  /** A guard of the app can refuse a call that has not begun. */
  fail(call: object, code: string): void {
    if (this.open.has(call)) this.end(call, code);
    else this.meter.record({ operation: undefined, code, durationMs: undefined });
  }

  /** @param code of the error, if the call failed. Later ones change nothing. */
  end(call: object, code: string | undefined): void {
    const known = this.open.get(call);
    if (!known) return;
    this.open.delete(call);
    const { operation, startedMs } = known;
    this.meter.record({ operation, code, durationMs: Math.max(0, systemClock.now() - startedMs) });
  }
}

/** Notes how calls end that don't fail. A class of its own: Nest makes another instance of an interceptor than of a provider. */
@Injectable()
export class MeasuringInterceptor implements NestInterceptor {
  @Inject(MeasuredGrpcCalls) private readonly calls!: MeasuredGrpcCalls;

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const call = grpcCallOf(context);
    return next.handle().pipe(
      tap({ complete: () => this.calls.end(call, undefined) }),
      // Runs in any case, but last: if nothing else has ended the call, its client has.
      finalize(() => this.calls.end(call, CLIENT_CLOSED)),
    );
  }
}
