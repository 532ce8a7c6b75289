import { Module, type Type, ValidationPipe } from '@nestjs/common';
import { ApolloDriver, ApolloFederationDriver } from '@nestjs/apollo';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { type GqlModuleOptions, GraphQLModule } from '@nestjs/graphql';
import { MercuriusDriver, MercuriusFederationDriver } from '@nestjs/mercurius';
import type { GraphQLScalarType } from 'graphql';
import { SnowflakeID } from 'nestjs-snowflake/graphql';
import { SnowflakeExceptionFilter } from 'nestjs-snowflake/http';
import type { Platform } from '../http-apps.js';
import { CodeFirstInvoices, CodeFirstOrders } from './graphql-code-first.js';
import { InvoiceID, RecentID } from './graphql-orders.js';
import { InvoiceIdScalar, SchemaFirstInvoices, SchemaFirstOrders, SDL } from './graphql-schema-first.js';

export type Style = 'code-first' | 'schema-first';
export const STYLES: readonly Style[] = ['code-first', 'schema-first'];

/** Removes the parts of the schema that only a subgraph has. */
const withoutKeys = (sdl: string): string => sdl.replaceAll(/ @key\(fields: "id"\)/g, '');

/**
 * Returns an app with orders: on Express with Apollo, on Fastify with Mercurius; by itself or as a subgraph. The careless one
 * omits the scalars from `resolvers`.
 */
export function ordersApp(
  platform: Platform,
  style: Style,
  kind: 'alone' | 'subgraph' | 'careless subgraph' = 'alone',
): Type {
  const isAlone = kind === 'alone';
  const driver = isAlone
    ? { Express: ApolloDriver, Fastify: MercuriusDriver }[platform]
    : { Express: ApolloFederationDriver, Fastify: MercuriusFederationDriver }[platform];
  const resolvers: Record<string, GraphQLScalarType> =
    kind === 'careless subgraph' ? {} : { SnowflakeID, InvoiceID, RecentID };
  const isCodeFirst = style === 'code-first';
  const settings: GqlModuleOptions = isCodeFirst
    ? isAlone
      ? { autoSchemaFile: true }
      : { autoSchemaFile: { federation: platform === 'Express' ? 2 : 1 }, resolvers }
    : { typeDefs: isAlone ? withoutKeys(SDL) : SDL, resolvers: { SnowflakeID, RecentID } };
  const providers = isCodeFirst
    ? [CodeFirstOrders, CodeFirstInvoices]
    : [SchemaFirstOrders, SchemaFirstInvoices, InvoiceIdScalar];
  @Module({
    imports: [GraphQLModule.forRoot({ driver, ...settings })],
    providers: [
      ...providers,
      { provide: APP_FILTER, useClass: SnowflakeExceptionFilter },
      { provide: APP_PIPE, useValue: new ValidationPipe({ transform: true }) },
    ],
  })
  class AppModule {}
  return AppModule;
}
