import type { ServerUnaryCall } from '@grpc/grpc-js';
import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { ThrottlerGuard } from '@nestjs/throttler';
import { HTTP_CONFIG, type HttpConfig } from '../../../shared/src/environment/server-environment.js';

type Call = Pick<ServerUnaryCall<unknown, unknown>, 'getPeer' | 'metadata'>;

/** Limits clients over gRPC and HTTP together. A stream counts once, when it begins. */
@Injectable()
export class ClientThrottlerGuard extends ThrottlerGuard {
  @Inject(HTTP_CONFIG) private readonly config!: HttpConfig;

  protected override getRequestResponse(
    context: ExecutionContext,
  ): ReturnType<ThrottlerGuard['getRequestResponse']> {
    if (context.getType() !== 'rpc') return super.getRequestResponse(context);
    const ip = addressOf(context.getArgByIndex<Call>(2), this.config.trustedProxies);
    // gRPC has no headers for the limit.
    return { req: { ip }, res: {} };
  }
}

/** Returns the address of a client behind so many proxies, as Fastify does. */
function addressOf(call: Call, trustedProxies: number): string | undefined {
  const forwarded = call.metadata.get('x-forwarded-for').join(',').split(',');
  const addresses = forwarded.map((address) => address.trim()).filter((address) => address !== '');
  addresses.push(call.getPeer().replace(/:\d+$/, ''));
  return addresses.at(-1 - trustedProxies) ?? addresses[0];
}
