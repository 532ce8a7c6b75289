import {
  type CanActivate,
  type ExecutionContext,
  HttpException,
  Inject,
  Injectable,
  SetMetadata,
} from '@nestjs/common';
import { HttpAdapterHost, Reflector } from '@nestjs/core';
import { Redaction, safeCopy } from 'nestjs-snowflake/kit';
import type { ServiceCall, ServiceScope } from '../authorization/service-call.js';
import type { ServiceSettings } from '../settings/service-options.js';
import { SERVICE_SETTINGS } from '../settings/service-tokens.js';
import { MeasuredCalls } from './measured-calls.js';
import type { IdentifiedRequest } from './request-id.js';
import { RequestRefusal } from '../requests/request-refusal.js';

/**
 * The part of the requests of Express and Fastify that the service reads. Handlers read it too, not parameters of Nest, which the
 * pipes of the app can change after the guard has authorized a name.
 */
export interface ServiceRequest extends IdentifiedRequest {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

interface Requirement {
  readonly operation: string;
  readonly scope: ServiceScope;
  readonly nameOf: (request: ServiceRequest) => unknown;
}

const REQUIREMENT = 'nestjs-snowflake-service: requirement';
/** A client names its call by this header, and the response repeats it. */
const CALL_HEADER = 'snowflake-call';
const CALL = /^[\w-]{1,64}$/;

/**
 * Sets the permission that a route needs, and the name of the operation in metrics. A route without this decorator admits nobody.
 */
export const Requires = (
  operation: string,
  scope: ServiceScope,
  nameOf: Requirement['nameOf'],
): MethodDecorator => SetMetadata(REQUIREMENT, { operation, scope, nameOf } satisfies Requirement);

/** Runs `authorize` before the service processes a request. */
@Injectable()
export class AccessGuard implements CanActivate {
  @Inject(SERVICE_SETTINGS) private readonly settings!: ServiceSettings;
  @Inject(Reflector) private readonly reflector!: Reflector;
  @Inject(HttpAdapterHost) private readonly host!: HttpAdapterHost;
  @Inject(MeasuredCalls) private readonly calls!: MeasuredCalls;

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<ServiceRequest>();
    const { operation, scope, nameOf } = this.reflector.get<Requirement>(REQUIREMENT, context.getHandler());
    this.calls.begin(operation, request, http.getResponse());
    this.nameCall(request, http.getResponse());
    const given = nameOf(request);
    const name = typeof given === 'string' ? given : '';
    const token = tokenIn(request);
    if (await this.isAuthorized({ scope, name, token, request })) return true;
    if (token === undefined) {
      throw new RequestRefusal(401, 'SNOWFLAKE_UNAUTHORIZED', 'The request has no bearer token.');
    }
    throw new RequestRefusal(403, 'SNOWFLAKE_FORBIDDEN', `The token does not permit ${scope} of that name.`);
  }

  /** An error of `authorize` is a fault of the service, not of the request, and can hold the token. */
  private async isAuthorized(call: ServiceCall): Promise<boolean> {
    try {
      return (await this.settings.authorize(call)) === true;
    } catch (error) {
      if (error instanceof HttpException) throw error;
      throw safeCopy(error, new Redaction(call.token === undefined ? [] : [call.token]));
    }
  }

  private nameCall({ headers }: ServiceRequest, response: unknown): void {
    const { httpAdapter } = this.host;
    const call = headers[CALL_HEADER];
    if (typeof call === 'string' && CALL.test(call)) httpAdapter.setHeader(response, CALL_HEADER, call);
    httpAdapter.setHeader(response, 'Cache-Control', 'no-store');
  }
}

function tokenIn({ headers }: ServiceRequest): string | undefined {
  const [, token] = /^Bearer +([\x21-\x7e]+)$/i.exec(headers['authorization']?.toString() ?? '') ?? [];
  return token;
}
