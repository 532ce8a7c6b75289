import type { ModulesContainer } from '@nestjs/core';
import type { SnowflakeIdMaker } from '../maker/index.js';

/**
 * The boot of an app. Nest calls no hook of an app that fails to boot: what has started by then would hold its lease,
 * and its connection the process, for ever.
 */
export class Boot {
  private readonly makers = new Set<SnowflakeIdMaker>();
  private failure: { readonly error: unknown } | undefined;
  private isOver = false;

  /** Whether the app has booted: Nest calls no hooks of a module that comes later. */
  get hasEnded(): boolean {
    return this.isOver;
  }

  /** Stops `maker` if the boot fails from now on. */
  add(maker: SnowflakeIdMaker): void {
    this.makers.add(maker);
  }

  /**
   * Goes a step of the boot. If it fails, the makers of the app stop, and no later step is gone.
   *
   * @throws the error of the first step that failed: those of makers that stop say nothing of the cause
   */
  async step<Result>(action: () => Result | Promise<Result>): Promise<Result> {
    if (this.failure) throw this.failure.error;
    try {
      return await action();
    } catch (error) {
      // A module that is loaded lazily: the app goes on without it.
      if (this.isOver) throw error;
      this.failure ??= { error };
      await Promise.all([...this.makers].map((maker) => maker.stop()));
      throw this.failure.error;
    }
  }

  /** The app has booted: from now on Nest calls its hooks. */
  end(): void {
    this.isOver = true;
    this.makers.clear();
  }
}

const boots = new WeakMap<ModulesContainer, Boot>();

/** The boot of the app with these modules. */
export function bootOf(modules: ModulesContainer): Boot {
  const boot = boots.get(modules) ?? new Boot();
  boots.set(modules, boot);
  return boot;
}
