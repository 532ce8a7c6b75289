import { HttpException, SetMetadata } from '@nestjs/common';
import { safeCopy } from 'nestjs-snowflake/internal/core/errors/foreign-error';
import { Redaction } from 'nestjs-snowflake/internal/core/errors/redaction';
import { RequestRefusal } from '../requests/request-refusal.js';
import type { ServiceAuthorization, ServiceCall, ServiceScope } from './service-call.js';

/** What a call is, and the permission that it needs, whatever it came through. */
export interface Requirement<Request> {
  /** The name of the operation in metrics. */
  readonly operation: string;
  readonly scope: ServiceScope;
  readonly nameOf: (request: Request) => unknown;
}

/** Metadata of a handler: its {@link Requirement}. */
export const REQUIREMENT = 'nestjs-snowflake-service: requirement';

/** Sets the permission that a handler needs. A handler without this decorator admits nobody. */
export const Requires = <Request>(
  operation: string,
  scope: ServiceScope,
  nameOf: Requirement<Request>['nameOf'],
): MethodDecorator => SetMetadata(REQUIREMENT, { operation, scope, nameOf } satisfies Requirement<Request>);

/** Returns the call that `authorize` decides on. */
export function callOf<Request>(
  { scope, nameOf }: Requirement<Request>,
  request: Request,
  authorization: string | undefined,
  carrier: unknown,
): ServiceCall {
  const name = nameOf(request);
  const token = tokenIn(authorization);
  return { scope, name: typeof name === 'string' ? name : '', token, request: carrier };
}

/** Settles when `authorize` has admitted the call. @throws RequestRefusal, or what `authorize` throws, without the token */
export async function requireAccess(authorize: ServiceAuthorization, call: ServiceCall): Promise<void> {
  const isAllowed = await decisionOf(authorize, call);
  if (isAllowed === true) return;
  if (call.token === undefined) throw unauthorized('The request has no bearer token.', 'Bearer');
  if (isAllowed === undefined) throw unauthorized('The token is unknown.', 'Bearer error="invalid_token"');
  throw new RequestRefusal(
    403,
    'SNOWFLAKE_FORBIDDEN',
    `The token does not permit ${call.scope} of that name.`,
    { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${call.scope}"` },
  );
}

const unauthorized = (detail: string, challenge: string): RequestRefusal =>
  new RequestRefusal(401, 'SNOWFLAKE_UNAUTHORIZED', detail, { 'WWW-Authenticate': challenge });

/** An error of `authorize` is a fault of the service, not of the request, and can hold the token. */
async function decisionOf(authorize: ServiceAuthorization, call: ServiceCall): Promise<boolean | undefined> {
  try {
    return await authorize(call);
  } catch (error) {
    if (error instanceof HttpException) throw error;
    throw safeCopy(error, new Redaction(call.token === undefined ? [] : [call.token]));
  }
}

function tokenIn(authorization: string | undefined): string | undefined {
  const [, token] = /^Bearer +([\x21-\x7e]+)$/i.exec(authorization ?? '') ?? [];
  return token;
}
