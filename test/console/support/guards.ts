import {
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  Module,
  Scope,
  UnauthorizedException,
} from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import { type Observable, of } from 'rxjs';

export const isAdmin = (context: ExecutionContext): boolean => {
  const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
  return headers['x-user'] === 'admin';
};

@Injectable()
class Administrators {
  readonly names = ['admin'];
}

@Injectable()
export class AdminGuard implements CanActivate {
  constructor(private readonly administrators: Administrators) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    return isAdmin(context) && this.administrators.names.length > 0;
  }
}

@Injectable({ scope: Scope.REQUEST })
export class RequestGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return isAdmin(context);
  }
}

/** Knows its user only by the request that it was made for. */
@Injectable({ scope: Scope.REQUEST })
export class UserGuard implements CanActivate {
  constructor(@Inject(REQUEST) private readonly request: { headers: Record<string, string> } | undefined) {}

  canActivate(): boolean {
    return this.request?.headers['x-user'] === 'admin';
  }
}

/** Corrects its first answer, e.g. that of a cache. Nest decides by the last one. */
@Injectable()
export class CorrectingGuard implements CanActivate {
  canActivate(context: ExecutionContext): Observable<boolean> {
    return of(!isAdmin(context), isAdmin(context));
  }
}

export const CROWD = 20;

/** Returns the user of a request, but only once this number of requests wait at the same time. */
@Injectable({ scope: Scope.REQUEST })
export class WaitingGuard implements CanActivate {
  private static readonly waiting: (() => void)[] = [];
  private user = '';

  async canActivate(context: ExecutionContext): Promise<boolean> {
    this.user = isAdmin(context) ? 'admin' : 'nobody';
    const { waiting } = WaitingGuard;
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length === CROWD) for (const go of waiting.splice(0)) go();
    });
    return this.user === 'admin';
  }
}

@Injectable()
export class UnmetGuard implements CanActivate {
  constructor(private readonly missing: Administrators) {}

  canActivate(): boolean {
    return this.missing.names.length > 0;
  }
}

export class PlainGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return isAdmin(context);
  }
}

export class ChallengingGuard implements CanActivate {
  canActivate(): boolean {
    throw new UnauthorizedException('log in');
  }
}

@Module({ providers: [Administrators, AdminGuard, RequestGuard, UserGuard] })
export class AdminModule {}
