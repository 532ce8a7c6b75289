import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { StoppedError } from '../../core/errors/issuing-errors.js';
import { letProcessEnd } from '../keep-alive.js';

/**
 * The startup of an app. Nest calls no hook of an app that fails to start, so an ID maker that has started by then would keep its
 * lease, and its connection would keep the process alive.
 */
@Injectable()
export class Boot implements OnApplicationBootstrap {
  private readonly undos = new Set<() => Promise<void>>();
  private readonly lastSteps: (() => Promise<void>)[] = [];
  private failure: { readonly error: unknown } | undefined;
  private isOver = false;
  private keepProcessAlive: (() => void) | undefined;

  /** Whether the app has booted. Nest calls no hooks of modules that are loaded later. */
  get hasEnded(): boolean {
    return this.isOver;
  }

  /**
   * Calls `undo` if startup fails from now on. It fails when a step fails, or when nothing keeps the process alive any more, because Nest
   * reports no failed startup. Until startup ends, open connections don't keep the process alive.
   */
  onFailure(undo: () => Promise<void>): void {
    // What a lazy module makes belongs to the running app.
    if (this.isOver) return;
    this.undos.add(undo);
    this.keepProcessAlive ??= letProcessEnd(() => void this.abandon());
  }

  /** Runs `check` as a step when all modules are initialized. */
  atEnd(check: () => Promise<void>): void {
    this.lastSteps.push(check);
  }

  /**
   * Runs one boot step. If it fails, undoes the earlier ones and skips the later ones.
   *
   * @throws the error of the first step that failed; errors while undoing would hide it
   */
  async step<Result>(action: () => Result | Promise<Result>): Promise<Result> {
    if (this.failure) throw this.failure.error;
    try {
      return await action();
    } catch (error) {
      // A module that is loaded lazily. The app runs on without it.
      if (this.isOver) throw error;
      this.failure ??= { error };
      await this.undo();
      throw this.failure.error;
    }
  }

  /** Ends the startup. From now on Nest calls the app's hooks. */
  async onApplicationBootstrap(): Promise<void> {
    for (const check of this.lastSteps) await this.step(check);
    this.isOver = true;
    this.undos.clear();
    this.keepProcessAlive?.();
  }

  /** Startup has failed, or waits for nothing. */
  private abandon(): Promise<void> {
    this.failure ??= {
      error: new StoppedError('the process had nothing left to do before the app had started'),
    };
    return this.undo();
  }

  private async undo(): Promise<void> {
    this.keepProcessAlive?.();
    await Promise.all([...this.undos].map((undo) => undo()));
  }
}
