import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { callOf, requireAccess, type Requirement, REQUIREMENT } from '../authorization/requirement.js';
import type { ServiceSettings } from '../settings/service-options.js';
import { SERVICE_SETTINGS } from '../settings/service-tokens.js';
import { type GrpcCall, grpcCallOf } from './grpc-call.js';
import { MeasuredGrpcCalls } from './measured-grpc-calls.js';

/** Runs `authorize` before the service processes a call. */
@Injectable()
export class GrpcAccessGuard implements CanActivate {
  @Inject(SERVICE_SETTINGS) private readonly settings!: ServiceSettings;
  @Inject(MeasuredGrpcCalls) private readonly calls!: MeasuredGrpcCalls;
  @Inject(Reflector) private readonly reflector!: Reflector;

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const requirement = this.reflector.get<Requirement<unknown>>(REQUIREMENT, context.getHandler());
    const call = grpcCallOf(context);
    this.calls.begin(requirement.operation, call);
    await this.admit(requirement, call);
    return true;
  }

  /** @throws RequestRefusal, or what `authorize` throws */
  async admit<Request>(requirement: Requirement<Request>, call: GrpcCall<Request>): Promise<void> {
    const authorization = call.metadata.get('authorization')[0]?.toString();
    await requireAccess(this.settings.authorize, callOf(requirement, call.request, authorization, call));
  }
}
