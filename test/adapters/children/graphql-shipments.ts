import { Module, type Type } from '@nestjs/common';
import { GraphQLModule, Query, Resolver } from '@nestjs/graphql';
import {
  MercuriusFederationDriver,
  type MercuriusFederationDriverConfig,
  MercuriusGatewayDriver,
  type MercuriusGatewayDriverConfig,
} from '@nestjs/mercurius';
import { SnowflakeID } from 'nestjs-snowflake/graphql';
import { ID_MADE } from './graphql-orders.js';

const typeDefs = /* GraphQL */ `
  scalar SnowflakeID
  extend type Order @key(fields: "id") {
    id: SnowflakeID! @external
  }
  extend type Query {
    shipped: [Order!]!
  }
`;

@Resolver('Order')
class ShipmentsResolver {
  @Query()
  shipped(): { readonly id: bigint }[] {
    return [{ id: BigInt(ID_MADE) }];
  }
}

/** A subgraph that has only the IDs of orders. */
@Module({
  imports: [
    GraphQLModule.forRoot<MercuriusFederationDriverConfig>({
      driver: MercuriusFederationDriver,
      typeDefs,
      resolvers: { SnowflakeID },
    }),
  ],
  providers: [ShipmentsResolver],
})
export class ShipmentsModule {}

/** Returns an app that serves the subgraphs of these URLs as one graph. */
export function gatewayApp(orders: string, shipments: string): Type {
  const services = [
    { name: 'orders', url: `${orders}/graphql` },
    { name: 'shipments', url: `${shipments}/graphql` },
  ];
  @Module({
    imports: [
      GraphQLModule.forRoot<MercuriusGatewayDriverConfig>({
        driver: MercuriusGatewayDriver,
        gateway: { services },
      }),
    ],
  })
  class GatewayModule {}
  return GatewayModule;
}
