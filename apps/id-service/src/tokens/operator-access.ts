import {
  type CanActivate,
  type ExecutionContext,
  ForbiddenException,
  UnauthorizedException,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { TokenFile } from './token-file.js';

/** What operators see. As names in a token, they can't be mistaken for a namespace, because of the slash. */
export type OperatorPage = '/console' | '/metrics';

/**
 * Admits requests with a token that has the scope `read` for a page. Browsers ask for a password, which is the token; the user name
 * can be anything.
 */
export class OperatorAccess implements CanActivate {
  constructor(
    private readonly page: OperatorPage,
    private readonly tokens: TokenFile,
    private readonly host: HttpAdapterHost,
  ) {}

  readonly canActivate = async (context: ExecutionContext): Promise<boolean> => {
    const http = context.switchToHttp();
    const request = http.getRequest<{ headers: { authorization?: string } }>();
    const token = tokenIn(request.headers.authorization ?? '');
    const isAllowed = await this.tokens.authorizeHolder({ scope: 'read', name: this.page, token, request });
    if (isAllowed === true) return true;
    if (isAllowed === false)
      throw new ForbiddenException(`The token does not have the scope read for ${this.page}.`);
    this.host.httpAdapter.setHeader(http.getResponse(), 'WWW-Authenticate', 'Basic realm="ID service"');
    throw new UnauthorizedException(`A token with the scope read for ${this.page} is required.`);
  };
}

function tokenIn(authorization: string): string | undefined {
  const [, scheme = '', value = ''] = /^(bearer|basic) +([\x21-\x7e]+)$/i.exec(authorization) ?? [];
  if (scheme.toLowerCase() !== 'basic') return value === '' ? undefined : value;
  const [, ...password] = Buffer.from(value, 'base64').toString('latin1').split(':');
  return password.join(':');
}
