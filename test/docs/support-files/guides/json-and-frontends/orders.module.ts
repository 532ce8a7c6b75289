import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { GraphQLModule } from '@nestjs/graphql';
import { SnowflakeExceptionFilter } from 'nestjs-snowflake/http';
import { OrdersResolver } from './orders.resolver.js';

@Module({
  imports: [
    GraphQLModule.forRoot<ApolloDriverConfig>({
      driver: ApolloDriver,
      autoSchemaFile: true,
      stopOnApplicationShutdown: true, // lets queries in flight end
    }),
  ],
  providers: [OrdersResolver, { provide: APP_FILTER, useClass: SnowflakeExceptionFilter }],
})
export class OrdersModule {}
