/**
 * Puts the clock of this process back, for the time of a check: everything that reads `Date` then sees the past, and
 * time goes on from there. Timers and `performance.now()` are not touched.
 */
export class SteppedClock {
  private readonly trueDate = globalThis.Date;
  private behindMs = 0;

  constructor() {
    const { trueDate } = this;
    const now = (): number => trueDate.now() - this.behindMs;
    globalThis.Date = new Proxy(trueDate, {
      construct: (target, values: []) => (values.length === 0 ? new target(now()) : new target(...values)),
      get: (target, property) => (property === 'now' ? now : Reflect.get(target, property)),
    });
  }

  stepBack(ms: number): void {
    this.behindMs += ms;
  }

  restore(): void {
    globalThis.Date = this.trueDate;
  }
}
