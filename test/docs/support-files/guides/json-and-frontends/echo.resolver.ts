import { Args, Query, Resolver } from '@nestjs/graphql';

@Resolver()
export class EchoResolver {
  @Query()
  echo(@Args('id') id: string): string {
    return id;
  }
}
