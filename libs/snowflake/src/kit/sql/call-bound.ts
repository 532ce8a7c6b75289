import type { Clock, ScheduledTask } from '../../core/clock/clock.js';
import type { CallDeadline } from '../call-deadline.js';

/** A resource of a call. It must not be used after the call has been abandoned. */
export interface Abandonable {
  abandon(): void;
}

/** Bounds one call by its deadline, and abandons the resource of the call when its time is over. */
export class CallBound {
  private over = false;
  private resource?: Abandonable;
  private alarm?: ScheduledTask;
  /** The error after which the call was tried again last. It says more about a call that is late than the length of the call. */
  reasonToRetry: unknown;
  /** Ends the call; undefined while it does not run. */
  private expire: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly deadline: CallDeadline,
  ) {}

  /** Whether the call has been abandoned. */
  get isOver(): boolean {
    return this.over;
  }

  /** The time left in milliseconds. */
  get leftMs(): number {
    return this.deadline.remainingMs();
  }

  /** Sets what to abandon when the time is over, and replaces the previous resource. */
  abandonIfLate(resource: Abandonable): void {
    this.resource = resource;
  }

  /** The call waits for others from here on; see {@link CallDeadline.queue}. */
  queue(): void {
    this.deadline.queue?.();
    this.arm();
  }

  /** The call has read, at most `agoMs` ago, and writes next; see {@link CallDeadline.begin}. */
  begin(agoMs: number): void {
    this.deadline.begin?.(Math.max(0, agoMs));
    this.arm();
  }

  /** Returns the error of a call whose time is over. */
  lateError(): unknown {
    return this.reasonToRetry ?? new Error(`no answer within ${this.deadline.timeoutMs} ms`);
  }

  /** Settles as `call` does, or rejects with {@link lateError} when the time is over. */
  race<Reply>(call: Promise<Reply>): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.expire = () => {
        this.over = true;
        this.expire = undefined;
        this.resource?.abandon();
        reject(this.lateError());
      };
      this.arm();
      call.then(resolve, reject).finally(() => {
        this.expire = undefined;
        this.alarm?.cancel();
      });
    });
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.clock.schedule(ms, resolve);
    });
  }

  private arm(): void {
    this.alarm?.cancel();
    if (!this.expire) return;
    this.alarm = this.clock.schedule(this.leftMs, () => this.expire?.());
    this.alarm.keepProcessAlive?.();
  }
}
