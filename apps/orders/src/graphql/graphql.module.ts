import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { Module } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { GraphQLModule } from '@nestjs/graphql';
import { serverConfig } from '../config/orders.config.js';

/** Serves the GraphQL API at /graphql. Its schema comes from the resolvers, and is shown where the API description is. */
@Module({
  imports: [
    GraphQLModule.forRootAsync<ApolloDriverConfig>({
      driver: ApolloDriver,
      inject: [serverConfig.KEY],
      useFactory: ({ servesDocs }: ConfigType<typeof serverConfig>) => ({
        autoSchemaFile: true,
        introspection: servesDocs,
        playground: false,
        includeStacktraceInErrorResponses: false,
        // Stops the server late, because it cuts connections after 10 s, even if BoundedShutdown gives their requests more time.
        stopOnApplicationShutdown: true,
      }),
    }),
  ],
})
export class GraphqlModule {}
