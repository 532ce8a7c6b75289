import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { callOf, requireAccess, type Requirement, REQUIREMENT } from '../authorization/requirement.js';
import type { ServiceSettings } from '../settings/service-options.js';
import { SERVICE_SETTINGS } from '../settings/service-tokens.js';
import type { GrpcCall } from './grpc-call.js';

/** Runs `authorize` before the service processes a call. */
@Injectable()
export class GrpcAccessGuard implements CanActivate {
  @Inject(SERVICE_SETTINGS) private readonly settings!: ServiceSettings;
  @Inject(Reflector) private readonly reflector!: Reflector;

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const requirement = this.reflector.get<Requirement<unknown>>(REQUIREMENT, context.getHandler());
    await this.admit(requirement, context.getArgByIndex<GrpcCall<unknown>>(2));
    return true;
  }

  /** @throws RequestRefusal, or what `authorize` throws */
  async admit<Request>(requirement: Requirement<Request>, call: GrpcCall<Request>): Promise<void> {
    const authorization = call.metadata.get('authorization')[0]?.toString();
    await requireAccess(this.settings.authorize, callOf(requirement, call.request, authorization, call));
  }
}
