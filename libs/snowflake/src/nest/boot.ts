import { Injectable, Module } from '@nestjs/common';
import type { SnowflakeIdMaker } from '../maker/index.js';

/**
 * The boot of an app. Nest calls no hook of an app that fails to boot, so a maker that has started by then would keep
 * its lease, and its connection would keep the process alive.
 */
@Injectable()
export class Boot {
  private readonly makers = new Set<Pick<SnowflakeIdMaker, 'stop'>>();
  private failure: { readonly error: unknown } | undefined;
  private isOver = false;

  /** Whether the app has booted. Nest calls no hooks of modules that are loaded later. */
  get hasEnded(): boolean {
    return this.isOver;
  }

  /** Stops `maker` if the boot fails from now on. */
  add(maker: Pick<SnowflakeIdMaker, 'stop'>): void {
    this.makers.add(maker);
  }

  /**
   * Runs one boot step. If it fails, stops every maker and skips the later steps.
   *
   * @throws the error of the first step that failed; the errors of makers that stop would hide it
   */
  async step<Result>(action: () => Result | Promise<Result>): Promise<Result> {
    if (this.failure) throw this.failure.error;
    try {
      return await action();
    } catch (error) {
      // A module that is loaded lazily. The app runs on without it.
      if (this.isOver) throw error;
      this.failure ??= { error };
      await Promise.all([...this.makers].map((maker) => maker.stop()));
      throw this.failure.error;
    }
  }

  /** Ends the boot. From now on Nest calls the app's hooks. */
  end(): void {
    this.isOver = true;
    this.makers.clear();
  }
}

/** Provides one of each per app: Nest makes one instance of a static module, however many modules import it. */
@Module({ providers: [Boot], exports: [Boot] })
export class BootModule {}
