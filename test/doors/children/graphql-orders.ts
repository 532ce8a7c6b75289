import { Module, type Type, ValidationPipe } from '@nestjs/common';
import { ApolloDriver, ApolloFederationDriver } from '@nestjs/apollo';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import {
  Args,
  type CustomScalar,
  Field,
  type GqlModuleOptions,
  GraphQLModule,
  ID,
  InputType,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Directive,
  ResolveReference,
  Scalar,
} from '@nestjs/graphql';
import { MercuriusDriver, MercuriusFederationDriver } from '@nestjs/mercurius';
import { IsOptional } from 'class-validator';
import type { GraphQLScalarType, ValueNode } from 'graphql';
import { LeaseExhaustedError } from 'nestjs-snowflake';
import { SnowflakeID, snowflakeIdScalar } from 'nestjs-snowflake/graphql';
import { SnowflakeExceptionFilter } from 'nestjs-snowflake/http';
import { IsSnowflakeId } from 'nestjs-snowflake/validation';
import { hiddenInvoiceId } from '../hidden-id.js';
import type { Platform } from '../http-apps.js';

export const ID_MADE = '382475217496248322';
export const OTHER_ID = '382475217496248323';
/** 2026-11-21T10:19:57.897Z, the time in ID_MADE. */
const MADE_MS = Date.parse('2026-11-21T10:19:57.897Z');

export const InvoiceID = snowflakeIdScalar({ name: 'InvoiceID', codec: hiddenInvoiceId });
export const RecentID = snowflakeIdScalar({ name: 'RecentID', madeFrom: MADE_MS + 1 });

@ObjectType()
@Directive('@key(fields: "id")')
class Order {
  @Field(() => SnowflakeID) id!: string;
  @Field(() => SnowflakeID, { nullable: true }) parentId?: string | null;
  @Field(() => [SnowflakeID]) productIds!: (string | bigint)[];
}

@ObjectType()
@Directive('@key(fields: "id")')
class Invoice {
  @Field(() => InvoiceID) id!: string;
  @Field(() => SnowflakeID) orderId!: string;
}

@InputType()
class NewOrder {
  @Field(() => SnowflakeID)
  @IsSnowflakeId({ madeFrom: MADE_MS })
  customerId!: string;

  @Field(() => [SnowflakeID], { nullable: true })
  @IsOptional()
  @IsSnowflakeId({ each: true })
  productIds?: string[];
}

/** What all resolvers do, in both styles. */
const orders = {
  find: (id: string): Order => ({ id, parentId: null, productIds: [id, BigInt(OTHER_ID)] }),
  invoice: (id: string): Invoice => ({ id, orderId: ID_MADE }),
  create: ({ customerId, productIds = [] }: NewOrder): Order => ({
    id: OTHER_ID,
    parentId: customerId,
    productIds,
  }),
  rounded: (): unknown => Number(ID_MADE),
  broken: (): unknown => 'at 10.0.0.7',
  exhausted: (): never => {
    throw new LeaseExhaustedError(7, new Date());
  },
};

@Resolver(() => Order)
class CodeFirstOrders {
  @Query(() => Order)
  order(@Args('id', { type: () => SnowflakeID }) id: string): Order {
    return orders.find(id);
  }

  @Query(() => [Order])
  orders(@Args('ids', { type: () => [SnowflakeID] }) ids: string[]): Order[] {
    return ids.map((id) => orders.find(id));
  }

  @Query(() => SnowflakeID, { nullable: true })
  echo(@Args('id', { type: () => SnowflakeID, nullable: true }) id?: string | null): string | undefined {
    return id ?? undefined;
  }

  @Query(() => Invoice)
  invoice(@Args('id', { type: () => InvoiceID }) id: string): Invoice {
    return orders.invoice(id);
  }

  @Query(() => RecentID, { nullable: true })
  recent(@Args('id', { type: () => RecentID }) id: string): string {
    return id;
  }

  @Query(() => ID)
  plain(@Args('id', { type: () => ID }) id: string): string {
    return id;
  }

  @Query(() => SnowflakeID)
  rounded(): unknown {
    return orders.rounded();
  }

  @Query(() => SnowflakeID)
  broken(): unknown {
    return orders.broken();
  }

  @Query(() => SnowflakeID)
  exhausted(): string {
    return orders.exhausted();
  }

  @Mutation(() => Order)
  create(@Args('order') order: NewOrder): Order {
    return orders.create(order);
  }

  @ResolveReference()
  resolveReference({ id }: { id: string }): Order {
    return orders.find(SnowflakeID.parseValue(id));
  }
}

@Resolver(() => Invoice)
class CodeFirstInvoices {
  @ResolveReference()
  resolveReference({ id }: { id: string }): Invoice {
    return orders.invoice(InvoiceID.parseValue(id));
  }
}

const SDL = /* GraphQL */ `
  scalar SnowflakeID
  scalar InvoiceID
  scalar RecentID
  type Order @key(fields: "id") {
    id: SnowflakeID!
    parentId: SnowflakeID
    productIds: [SnowflakeID!]!
  }
  type Invoice @key(fields: "id") {
    id: InvoiceID!
    orderId: SnowflakeID!
  }
  input NewOrder {
    customerId: SnowflakeID!
    productIds: [SnowflakeID!]
  }
  type Query {
    order(id: SnowflakeID!): Order!
    orders(ids: [SnowflakeID!]!): [Order!]!
    echo(id: SnowflakeID): SnowflakeID
    invoice(id: InvoiceID!): Invoice!
    recent(id: RecentID!): RecentID
    plain(id: ID!): ID!
    rounded: SnowflakeID!
    broken: SnowflakeID!
    exhausted: SnowflakeID!
  }
  type Mutation {
    create(order: NewOrder!): Order!
  }
`;

@Resolver('Order')
class SchemaFirstOrders {
  @Query()
  order(@Args('id') id: string): Order {
    return orders.find(id);
  }

  @Query()
  orders(@Args('ids') ids: string[]): Order[] {
    return ids.map((id) => orders.find(id));
  }

  @Query()
  echo(@Args('id') id?: string | null): string | undefined {
    return id ?? undefined;
  }

  @Query()
  invoice(@Args('id') id: string): Invoice {
    return orders.invoice(id);
  }

  @Query()
  recent(@Args('id') id: string): string {
    return id;
  }

  @Query()
  plain(@Args('id') id: string): string {
    return id;
  }

  @Query()
  rounded(): unknown {
    return orders.rounded();
  }

  @Query()
  broken(): unknown {
    return orders.broken();
  }

  @Query()
  exhausted(): string {
    return orders.exhausted();
  }

  @Mutation()
  create(@Args('order') order: NewOrder): Order {
    return orders.create(order);
  }

  @ResolveReference()
  resolveReference({ id }: { id: string }): Order {
    return orders.find(SnowflakeID.parseValue(id));
  }
}

@Resolver('Invoice')
class SchemaFirstInvoices {
  @ResolveReference()
  resolveReference({ id }: { id: string }): Invoice {
    return orders.invoice(InvoiceID.parseValue(id));
  }
}

/** Nest's own form of a scalar, whose dependencies are injected. */
@Scalar('InvoiceID')
class InvoiceIdScalar implements CustomScalar<string, string> {
  readonly description = InvoiceID.description!;

  serialize(value: unknown): string {
    return InvoiceID.serialize(value);
  }

  parseValue(value: unknown): string {
    return InvoiceID.parseValue(value);
  }

  parseLiteral(node: ValueNode): string {
    return InvoiceID.parseLiteral(node);
  }
}

export type Style = 'code-first' | 'schema-first';
export const STYLES: readonly Style[] = ['code-first', 'schema-first'];

/** Removes what only a subgraph knows. */
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
