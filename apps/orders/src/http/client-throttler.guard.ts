import { type ExecutionContext, Injectable } from '@nestjs/common';
import { GqlExecutionContext } from '@nestjs/graphql';
import { ThrottlerGuard } from '@nestjs/throttler';

/** Limits requests to GraphQL like all others: there, the request is in the context of the query. */
@Injectable()
export class ClientThrottlerGuard extends ThrottlerGuard {
  protected override getRequestResponse(
    context: ExecutionContext,
  ): ReturnType<ThrottlerGuard['getRequestResponse']> {
    if (context.getType<string>() !== 'graphql') return super.getRequestResponse(context);
    const { req } = GqlExecutionContext.create(context).getContext<{ req: { res: object } }>();
    return { req, res: req.res };
  }
}
