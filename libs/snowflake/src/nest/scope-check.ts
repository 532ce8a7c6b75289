import { Inject, Injectable, type OnModuleInit, Scope } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { InvalidOptionError } from '../core/index.js';
import { Boot } from '../kit/nest/boot.js';
import { getSnowflakeToken, INSTANCE_NAME } from './snowflake.tokens.js';

/**
 * Refuses options that are made per request. Each request would lease a worker ID of its own and never release it, since
 * Nest calls no hooks of request-scoped providers.
 */
@Injectable()
export class ScopeCheck implements OnModuleInit {
  constructor(
    @Inject(ModuleRef) private readonly moduleRef: ModuleRef,
    @Inject(Boot) private readonly boot: Boot,
    @Inject(INSTANCE_NAME) private readonly name: string,
  ) {}

  /** @throws InvalidOptionError */
  onModuleInit(): Promise<void> {
    return this.boot.step(() => this.check());
  }

  private check(): void {
    const { scope } = this.moduleRef.introspect(getSnowflakeToken(this.name));
    if (scope === Scope.DEFAULT) return;
    throw new InvalidOptionError(
      'inject',
      Scope[scope].toLowerCase(),
      'names a provider that is not a singleton, so every request would lease a worker ID',
      'Make the options from singletons, such as ConfigService.',
    );
  }
}
