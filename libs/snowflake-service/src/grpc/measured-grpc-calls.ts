import { Inject, Injectable } from '@nestjs/common';
import { monotonicMs } from 'nestjs-snowflake/internal/core/clock/system-clock';
import { CallMeter } from 'nestjs-snowflake/internal/kit/call-meter';
import { finalize, type Observable, tap } from 'rxjs';

interface OpenCall {
  readonly operation: string;
  readonly startedMs: number;
  hasEnded: boolean;
}

/** The client has ended the call before it got the whole response. */
const CLIENT_CLOSED = 'CLIENT_CLOSED';

/**
 * Measures calls from their start until they have ended, if the app reports metrics. Handlers tell it that they have succeeded: for an
 * interceptor, Nest creates several observables for each call, even in an app without metrics.
 */
@Injectable()
export class MeasuredGrpcCalls {
  @Inject(CallMeter) private readonly meter!: CallMeter;
  private readonly open = new WeakMap<object, OpenCall>();

  begin(operation: string, call: object): void {
    if (!this.meter.isObserved) return;
    this.open.set(call, { operation, startedMs: monotonicMs(), hasEnded: false });
  }

  /** A guard of the app can refuse a call that has not begun. */
  fail(call: object, code: string): void {
    if (this.open.has(call)) this.end(call, code);
    else this.meter.record({ operation: undefined, code, durationMs: undefined });
  }

  /** Notes that a call has succeeded, and returns its response. */
  succeed<Response>(call: object, response: Response): Response {
    this.end(call, undefined);
    return response;
  }

  /** Notes how a stream ends that doesn't fail. */
  stream(call: object, batches: Observable<never>): Observable<never> {
    return batches.pipe(
      tap({ complete: () => this.end(call, undefined) }),
      // Runs in any case, but last: if nothing else has ended the call, its client has.
      finalize(() => this.end(call, CLIENT_CLOSED)),
    );
  }

  /** @param code of the error, if the call failed. Later ones change nothing, e.g. of an interceptor of the app. */
  private end(call: object, code: string | undefined): void {
    const known = this.open.get(call);
    if (!known || known.hasEnded) return;
    known.hasEnded = true;
    const { operation, startedMs } = known;
    this.meter.record({ operation, code, durationMs: monotonicMs() - startedMs });
  }
}
