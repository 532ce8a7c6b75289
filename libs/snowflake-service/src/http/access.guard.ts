import type { ServerResponse } from 'node:http';
import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost, Reflector } from '@nestjs/core';
import { callOf, requireAccess, type Requirement, REQUIREMENT } from '../authorization/requirement.js';
import type { ServiceSettings } from '../settings/service-options.js';
import { SERVICE_SETTINGS } from '../settings/service-tokens.js';
import { isCallName } from '../requests/call-name.js';
import { RequestLines } from './answer-in-turn.js';
import { MeasuredCalls } from './measured-calls.js';
import { rawResponse } from './raw-response.js';
import { CALL_HEADER, type ServiceRequest } from './service-request.js';

/** Waits for the turn of a request on its connection, and runs `authorize` before the service processes it. */
@Injectable()
export class AccessGuard implements CanActivate {
  @Inject(SERVICE_SETTINGS) private readonly settings!: ServiceSettings;
  @Inject(Reflector) private readonly reflector!: Reflector;
  @Inject(HttpAdapterHost) private readonly host!: HttpAdapterHost;
  @Inject(MeasuredCalls) private readonly calls!: MeasuredCalls;
  @Inject(RequestLines) private readonly lines!: RequestLines;

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<ServiceRequest>();
    const response: unknown = http.getResponse();
    await this.turnOf(rawResponse(response));
    const requirement = this.reflector.get<Requirement<ServiceRequest>>(REQUIREMENT, context.getHandler());
    this.calls.begin(requirement.operation, request, response);
    this.setHeaders(request, response);
    const authorization = request.headers['authorization']?.toString();
    await requireAccess(this.settings.authorize, callOf(requirement, request, authorization, request));
    return true;
  }

  /** Names the call of the response, which no cache may store. */
  private setHeaders({ headers }: ServiceRequest, response: unknown): void {
    const { httpAdapter } = this.host;
    const call = headers[CALL_HEADER];
    if (isCallName(call)) httpAdapter.setHeader(response, CALL_HEADER, call);
    httpAdapter.setHeader(response, 'Cache-Control', 'no-store');
  }

  /** Never resolves if the connection closes first. */
  private turnOf(response: ServerResponse): Promise<void> {
    return new Promise((resolve) => this.lines.join(response.req, response, resolve));
  }
}
