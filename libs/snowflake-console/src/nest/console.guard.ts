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
import { isObservable, lastValueFrom } from 'rxjs';
import { Boot } from 'nestjs-snowflake/internal/kit/nest/boot';
import type { ConsoleAuthorization, ConsoleSettings } from './console-options.js';
import { CONSOLE_SETTINGS } from './console-tokens.js';

/**
 * Runs `authorize` before anything else. Unauthorized users get the 404 of an address without a handler, so that the app doesn't
 * reveal that it has a console. An error that `authorize` throws, such as a login challenge, passes through.
 */
@Injectable()
export class ConsoleGuard implements CanActivate, OnModuleInit {
  @Inject(CONSOLE_SETTINGS) private readonly settings!: ConsoleSettings;
  @Inject(ModuleRef) private readonly moduleRef!: ModuleRef;
  @Inject(HttpAdapterHost) private readonly host!: HttpAdapterHost;
  @Inject(Boot) private readonly boot!: Boot;

  /** Makes startup fail if the guard's dependencies are missing, instead of every request. */
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
    if (authorize === 'development-only') return requireLocalName(context);
    if (!isGuardClass(authorize)) return authorize(context);
    const guard = await this.guardOf(authorize, context);
    const answer = await guard.canActivate(context);
    return isObservable(answer) ? lastValueFrom(answer, { defaultValue: false }) : answer;
  }

  /**
   * Returns the guard that the app provides, or else a new instance. It is new for each request, like a request-scoped guard of
   * Nest, so that it can't keep data of another user.
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
 * Refuses requests whose `Host` is another name, which prevents DNS rebinding: the website of an attacker can resolve its own
 * name to the address of this host, and the console would admit its requests. @throws MisdirectedException
 */
function requireLocalName(context: ExecutionContext): true {
  const { headers } = context.switchToHttp().getRequest<{ headers: { host?: string } }>();
  const name = (headers.host ?? '')
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();
  if (isIP(name) !== 0 || name === 'localhost' || name.endsWith('.localhost')) return true;
  throw new MisdirectedException(
    "With authorize: 'development-only', the console answers only at localhost and at IP addresses. For another name, pass a " +
      'guard or a function as authorize.',
  );
}

function isGuardClass(authorize: ConsoleAuthorization): authorize is Type<CanActivate> {
  const prototype: unknown = Reflect.get(Object(authorize), 'prototype');
  return typeof Reflect.get(Object(prototype), 'canActivate') === 'function';
}
