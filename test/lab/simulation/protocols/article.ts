import type { Protocol, SimulatedEnvironment } from '../protocol.js';
import { ControlMaker, NoWorkerId } from './control-maker.js';
import { KeyValueDatabase } from './key-value-database.js';

const MINUTE = 60_000;

/**
 * ICH.Snowflake's protocol as its source has it (fuluteam/ICH.Snowflake): a counter for worker IDs; beyond the last of
 * them the one with the oldest entry in a sorted set, if that is five minutes old by the local clock; the entry is
 * refreshed by a timer. A process can't detect that its worker ID was given to another one. Reading the set and
 * adding to it are two commands, and the bound is one too high. After a clock rollback it takes another worker ID, but
 * keeps the last timestamp, so that it takes one after the other until the clock has caught up.
 */
class ArticleMaker extends ControlMaker {
  protected readonly refreshEveryMs = 2 * MINUTE;

  protected async acquire(): Promise<number> {
    const { workerCount, loop } = this.environment;
    let workerId = await this.bounded(this.environment.call((content) => content.counter++));
    if (workerId > workerCount) {
      const before = loop.clock.now() - 5 * MINUTE;
      const offline = await this.bounded(this.environment.call((content) => content.lowest(before)));
      if (offline === undefined) throw new NoWorkerId('all worker IDs are in use');
      workerId = offline;
    }
    await this.markAlive(workerId);
    return workerId;
  }

  protected async refresh(): Promise<void> {
    if (this.workerId !== undefined) await this.markAlive(this.workerId);
  }

  protected override onRollback(): void {
    this.replace();
  }

  private markAlive(workerId: number): Promise<unknown> {
    const nowMs = this.environment.loop.clock.now();
    return this.bounded(this.environment.call((content) => void content.sorted.set(workerId, nowMs)));
  }
}

/**
 * The same with what is plainly wrong put right: one atomic step, the server's clock, the right bound, a refresh every
 * ten seconds that notices a worker ID taken by somebody else, a process that goes on with its new worker ID after a
 * rollback. What remains is the idea: a process that was silent for so long is considered dead, without a check.
 */
class RepairedArticleMaker extends ControlMaker {
  protected get refreshEveryMs(): number {
    return this.environment.timing.renewEveryMs;
  }

  protected async acquire(): Promise<number> {
    const { workerCount, timing, name } = this.environment;
    const taken = await this.bounded(
      this.environment.call((content, { nowMs }) => {
        const isFresh = content.counter < workerCount;
        const workerId = isFresh ? content.counter++ : content.lowest(nowMs - timing.windowMs);
        if (workerId === undefined) return undefined;
        content.sorted.set(workerId, nowMs);
        content.owners.set(workerId, name);
        return workerId;
      }),
    );
    if (taken === undefined) throw new NoWorkerId('all worker IDs are in use');
    this.sequence.reset();
    return taken;
  }

  protected async refresh(): Promise<void> {
    const { workerId } = this;
    const { name } = this.environment;
    if (workerId === undefined) return;
    const isMine = await this.bounded(
      this.environment.call((content, { nowMs }) => {
        const owner = content.owners.get(workerId) ?? name;
        if (owner !== name) return false;
        content.sorted.set(workerId, nowMs);
        content.owners.set(workerId, name);
        return true;
      }),
    );
    if (!isMine && this.workerId === workerId) this.replace();
  }

  protected override onRollback(): void {
    this.replace();
  }
}

function protocol(
  name: string,
  MakerClass: new (environment: SimulatedEnvironment<KeyValueDatabase>) => ControlMaker,
): Protocol<KeyValueDatabase> {
  return {
    name,
    content: () => new KeyValueDatabase(),
    maker: (environment) => new MakerClass(environment),
  };
}

export const articleAsPrinted = protocol('article as printed', ArticleMaker);
export const articleRepaired = protocol('article repaired', RepairedArticleMaker);
