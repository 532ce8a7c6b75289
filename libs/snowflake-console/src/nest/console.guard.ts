import {
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  NotFoundException,
  Scope,
  type Type,
} from '@nestjs/common';
import { ContextIdFactory, HttpAdapterHost, ModuleRef } from '@nestjs/core';
import { firstValueFrom, isObservable } from 'rxjs';
import type { ConsoleSettings } from './console-options.js';
import { CONSOLE_SETTINGS } from './console-tokens.js';

/**
 * Asks `authorize` before anything is looked at. Who is refused gets what an address without a handler gets, so that the app
 * does not even say that it has a console. What `authorize` throws, such as a challenge to log in, passes.
 */
@Injectable()
export class ConsoleGuard implements CanActivate {
  @Inject(CONSOLE_SETTINGS) private readonly settings!: ConsoleSettings;
  @Inject(ModuleRef) private readonly moduleRef!: ModuleRef;
  @Inject(HttpAdapterHost) private readonly host!: HttpAdapterHost;
  private made: CanActivate | undefined;

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if ((await this.isAuthorized(context)) === true) return true;
    const request: unknown = context.switchToHttp().getRequest();
    const { httpAdapter } = this.host;
    throw new NotFoundException(
      `Cannot ${httpAdapter.getRequestMethod(request)} ${httpAdapter.getRequestUrl(request)}`,
    );
  }

  private async isAuthorized(context: ExecutionContext): Promise<boolean> {
    const { authorize } = this.settings;
    if (authorize === 'development-only') return true;
    if (!isGuardClass(authorize)) return authorize(context);
    const guard = await this.guardOf(authorize, context);
    const answer = await guard.canActivate(context);
    return isObservable(answer) ? firstValueFrom(answer, { defaultValue: false }) : answer;
  }

  /** The guard that the app provides, of this request if that is its scope; otherwise one of the console's own. */
  private async guardOf(guardClass: Type<CanActivate>, context: ExecutionContext): Promise<CanActivate> {
    if (this.made) return this.made;
    const scope = this.scopeOf(guardClass);
    if (scope === undefined) return (this.made = await this.moduleRef.create(guardClass));
    if (scope === Scope.DEFAULT) return this.moduleRef.get<CanActivate>(guardClass, { strict: false });
    const contextId = ContextIdFactory.getByRequest(context.switchToHttp().getRequest());
    return this.moduleRef.resolve<CanActivate>(guardClass, contextId, { strict: false });
  }

  /** Returns undefined if the app does not provide the class. */
  private scopeOf(guardClass: Type<CanActivate>): Scope | undefined {
    try {
      return this.moduleRef.introspect(guardClass).scope;
    } catch {
      return undefined;
    }
  }
}

function isGuardClass(authorize: object): authorize is Type<CanActivate> {
  const prototype: unknown = Reflect.get(authorize, 'prototype');
  return typeof Reflect.get(Object(prototype), 'canActivate') === 'function';
}
