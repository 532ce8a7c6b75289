import { isIP } from 'node:net';
import {
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  MisdirectedException,
  NotFoundException,
  type OnModuleInit,
  Scope,
  type Type,
} from '@nestjs/common';
import { ContextIdFactory, HttpAdapterHost, ModuleRef } from '@nestjs/core';
import { firstValueFrom, isObservable } from 'rxjs';
import { Boot } from 'nestjs-snowflake/kit-nest';
import type { ConsoleAuthorization, ConsoleSettings } from './console-options.js';
import { CONSOLE_SETTINGS } from './console-tokens.js';

/**
 * Asks `authorize` before anything is looked at. Who is refused gets what an address without a handler gets, so that the app
 * does not even say that it has a console. What `authorize` throws, such as a challenge to log in, passes.
 */
@Injectable()
export class ConsoleGuard implements CanActivate, OnModuleInit {
  @Inject(CONSOLE_SETTINGS) private readonly settings!: ConsoleSettings;
  @Inject(ModuleRef) private readonly moduleRef!: ModuleRef;
  @Inject(HttpAdapterHost) private readonly host!: HttpAdapterHost;
  @Inject(Boot) private readonly boot!: Boot;

  /** Fails the boot if the guard's dependencies are missing, instead of every request. */
  onModuleInit(): Promise<void> {
    return this.boot.step(async () => {
      const { authorize } = this.settings;
      if (isGuardClass(authorize) && !this.isProvided(authorize)) await this.moduleRef.create(authorize);
    });
  }

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
    if (authorize === 'development-only') return requireNearHost(context);
    if (!isGuardClass(authorize)) return authorize(context);
    const guard = await this.guardOf(authorize, context);
    const answer = await guard.canActivate(context);
    return isObservable(answer) ? firstValueFrom(answer, { defaultValue: false }) : answer;
  }

  /**
   * The guard that the app provides, or one of the console's own. That one is made for each request, as Nest makes guards of a
   * request, so that it can't keep anything of another user.
   */
  private async guardOf(guardClass: Type<CanActivate>, context: ExecutionContext): Promise<CanActivate> {
    const request = context.switchToHttp().getRequest<object>();
    const contextId = ContextIdFactory.getByRequest(request);
    this.moduleRef.registerRequestByContextId(request, contextId);
    if (!this.isProvided(guardClass)) return this.moduleRef.create(guardClass, contextId);
    if (this.moduleRef.introspect(guardClass).scope === Scope.DEFAULT) {
      return this.moduleRef.get<CanActivate>(guardClass, { strict: false });
    }
    return this.moduleRef.resolve<CanActivate>(guardClass, contextId, { strict: false });
  }

  private isProvided(guardClass: Type<CanActivate>): boolean {
    try {
      return Boolean(this.moduleRef.introspect(guardClass));
    } catch {
      return false;
    }
  }
}

/**
 * A page elsewhere can give its own name the address of this machine (DNS rebinding). Its requests then name that host, and
 * no user stands between it and the console. @throws MisdirectedException
 */
function requireNearHost(context: ExecutionContext): true {
  const { headers } = context.switchToHttp().getRequest<{ headers: { host?: string } }>();
  const name = (headers.host ?? '')
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();
  if (isIP(name) !== 0 || name === 'localhost' || name.endsWith('.localhost')) return true;
  throw new MisdirectedException(
    "The console with authorize: 'development-only' answers at localhost and at IP addresses. For another name, pass a guard " +
      'or a function as authorize.',
  );
}

function isGuardClass(authorize: ConsoleAuthorization): authorize is Type<CanActivate> {
  const prototype: unknown = Reflect.get(Object(authorize), 'prototype');
  return typeof Reflect.get(Object(prototype), 'canActivate') === 'function';
}
