import { oneInProcess } from '../core/process-memory.js';
/** A call to a service, which has ended. No client can choose any of the values, so their number is bounded. */
export interface MeasuredCall {
  /** What was called; absent if a guard of the app refused the call before the service saw it. */
  readonly operation: string | undefined;
  /** Code of the error; absent after a success. */
  readonly code: string | undefined;
  /** Absent if the operation is. */
  readonly durationMs: number | undefined;
}

/** Passes measured calls from the service that measures them to those that report them. */
@oneInProcess('CallMeter')
export class CallMeter {
  private readonly listeners = new Set<(call: MeasuredCall) => void>();

  /** Whether anybody needs measurements, which cost time. */
  get isObserved(): boolean {
    return this.listeners.size > 0;
  }

  /** @returns a function that unsubscribes */
  subscribe(listener: (call: MeasuredCall) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  record(call: MeasuredCall): void {
    for (const listener of this.listeners) listener(call);
  }
}
