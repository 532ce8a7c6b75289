import type { Protocol } from '../protocol.js';
import { ControlMaker, NoWorkerId } from './control-maker.js';
import { KeyValueDatabase } from './key-value-database.js';

/**
 * The textbook lock: a key per worker ID that expires (`SET key token NX PX`), extended and deleted by scripts that
 * compare the token, and a local deadline, counted in elapsed time from before the call was sent, after which nothing
 * is issued. The time in IDs is the local clock's.
 */
class ExpiringKeyMaker extends ControlMaker {
  private deadlineMs = Number.NEGATIVE_INFINITY;

  protected get refreshEveryMs(): number {
    return this.environment.timing.renewEveryMs;
  }

  protected async acquire(): Promise<number> {
    const { workerCount, timing, name, loop } = this.environment;
    const deadlineMs = loop.elapsedMs + timing.windowMs;
    const taken = await this.bounded(
      this.environment.call((content, { nowMs }) => {
        for (let workerId = 0; workerId < workerCount; workerId++) {
          const key = String(workerId);
          if (content.get(key, nowMs) !== undefined) continue;
          content.keys.set(key, { value: name, expiresAtMs: nowMs + timing.windowMs });
          return workerId;
        }
        return undefined;
      }),
    );
    if (taken === undefined) throw new NoWorkerId('all worker IDs are in use');
    this.deadlineMs = deadlineMs;
    this.sequence.reset();
    return taken;
  }

  protected async refresh(): Promise<void> {
    const { workerId } = this;
    const { timing, name, loop } = this.environment;
    if (workerId === undefined) return;
    const deadlineMs = loop.elapsedMs + timing.windowMs;
    const isMine = await this.bounded(
      this.environment.call((content, { nowMs }) => {
        if (content.get(String(workerId), nowMs) !== name) return false;
        content.keys.set(String(workerId), { value: name, expiresAtMs: nowMs + timing.windowMs });
        return true;
      }),
    );
    if (this.workerId !== workerId) return;
    if (isMine) this.deadlineMs = deadlineMs;
    else this.replace();
  }

  protected override mayIssue(): boolean {
    return this.environment.loop.elapsedMs < this.deadlineMs;
  }

  protected override async release(): Promise<void> {
    const { workerId } = this;
    const { name } = this.environment;
    this.workerId = undefined;
    await this.bounded(
      this.environment.call((content, { nowMs }) => {
        const key = String(workerId);
        if (content.get(key, nowMs) === name) content.keys.delete(key);
      }),
    );
  }
}

export const expiringKey: Protocol<KeyValueDatabase> = {
  name: 'expiring key',
  content: () => new KeyValueDatabase(),
  maker: (environment) => new ExpiringKeyMaker(environment),
};
