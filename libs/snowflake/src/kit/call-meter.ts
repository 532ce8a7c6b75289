import { oneInProcess } from '../core/process-memory.js';

/** Calls that have ended together. No client can choose any of the values, so their number is bounded. */
export interface MeasuredCall {
  /** What was called, or the name of the series; absent if a guard of the app refused the call before the service saw it. */
  readonly operation: string | undefined;
  /** Code of the error; absent after a success. */
  readonly code: string | undefined;
  /** Absent if nothing was measured, such as a call without its operation. */
  readonly durationMs: number | undefined;
  /**
   * How many calls these are.
   *
   * @defaultValue `1`
   */
  readonly count?: number;
}

/** What is measured: calls to an ID service, or requests for numbers of series, of which the wait for the counter counts. */
export type MeasuredKind = 'service' | 'series';

/** Passes measured calls from what measures them to those that report them. */
@oneInProcess('CallMeter')
export class CallMeter {
  private readonly listeners = new Set<(call: MeasuredCall) => void>();

  constructor(readonly kind: MeasuredKind) {}

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
