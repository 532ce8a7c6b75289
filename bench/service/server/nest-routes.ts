import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  Module,
  type Type,
  UseGuards,
} from '@nestjs/common';
import type { SnowflakeIdMaker } from 'nestjs-snowflake';
import { authorize } from './authorization.js';

interface Answer {
  readonly ids: readonly string[];
}

/** The authorization of the service, in the fewest lines. */
class TokenGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<{ headers: { authorization?: string } }>();
    const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
    return (await authorize({ scope: 'ids', name: 'default', token, request })) === true;
  }
}

/** A route that a user of Nest would write in a minute. */
export function routeApp(ids: SnowflakeIdMaker): Type {
  @Controller('v1')
  class PlainIds {
    @Get('ids')
    get(): Answer {
      return { ids: [ids.nextId()] };
    }
  }
  @Module({ controllers: [PlainIds] })
  class AppModule {}
  return AppModule;
}

/** The same, with the authorization of the service. */
export function guardedRouteApp(ids: SnowflakeIdMaker): Type {
  @Controller('v1')
  class GuardedIds {
    @Get('ids')
    @UseGuards(TokenGuard)
    get(): Answer {
      return { ids: [ids.nextId()] };
    }
  }
  @Module({ controllers: [GuardedIds] })
  class AppModule {}
  return AppModule;
}
