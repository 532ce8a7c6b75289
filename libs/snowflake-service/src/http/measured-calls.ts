import { Inject, Injectable } from '@nestjs/common';
import { monotonicMs } from 'nestjs-snowflake/internal/core/clock/system-clock';
import { CallMeter } from 'nestjs-snowflake/internal/kit/call-meter';
import { rawResponse } from './raw-response.js';

interface OpenCall {
  code: string | undefined;
}

/** The client has closed the connection before it got the whole response. */
const CLIENT_CLOSED = 'CLIENT_CLOSED';

/** Measures calls from their start until the response has been sent, if the app reports metrics. */
@Injectable()
export class MeasuredCalls {
  @Inject(CallMeter) private readonly meter!: CallMeter;
  private readonly open = new WeakMap<object, OpenCall>();

  begin(operation: string, request: object, response: unknown): void {
    if (!this.meter.isObserved) return;
    const call: OpenCall = { code: undefined };
    this.open.set(request, call);
    const startedMs = monotonicMs();
    const raw = rawResponse(response);
    raw.once('close', () => {
      const code = call.code ?? (raw.writableFinished ? undefined : CLIENT_CLOSED);
      this.meter.record({ operation, code, durationMs: monotonicMs() - startedMs });
    });
  }

  /** A guard of the app can refuse a call that has not begun. */
  fail(request: object, code: string): void {
    const call = this.open.get(request);
    if (call) call.code = code;
    else this.meter.record({ operation: undefined, code, durationMs: undefined });
  }
}
