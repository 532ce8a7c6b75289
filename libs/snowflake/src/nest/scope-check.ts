import { Inject, Injectable, type OnModuleInit, Scope } from '@nestjs/common';
import { ModuleRef, ModulesContainer } from '@nestjs/core';
import { InvalidOptionError } from '../core/index.js';
import { bootOf } from './boot.js';
import { MAKER } from './snowflake.tokens.js';

/**
 * Refuses options that are made for each request: each would lease a worker ID of its own, and nobody would give it
 * back, since Nest calls no hook of what lives for a request.
 */
@Injectable()
export class ScopeCheck implements OnModuleInit {
  constructor(
    @Inject(ModuleRef) private readonly moduleRef: ModuleRef,
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
  ) {}

  /** @throws InvalidOptionError */
  onModuleInit(): Promise<void> {
    return bootOf(this.modules).step(() => this.check());
  }

  private check(): void {
    const { scope } = this.moduleRef.introspect(MAKER);
    if (scope === Scope.DEFAULT) return;
    throw new InvalidOptionError(
      'inject',
      Scope[scope].toLowerCase(),
      'holds a provider whose scope is no singleton, so that every request would lease a worker ID',
      'Make the options from singletons, such as ConfigService.',
    );
  }
}
